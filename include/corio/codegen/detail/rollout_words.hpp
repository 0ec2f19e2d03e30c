#pragma once

#include "corio/codegen/derivatives.hpp"
#include "corio/codegen/detail/rollout_templates.hpp"
#include "corio/codegen/detail/text.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen { namespace detail {

/// What the texts of rollouts have for a step.
struct Rollout {
  Text::Lists lists;
  Text::Values words;
  std::vector<std::string> differentiated;  // the arrays of the state, and u
};

/// @throws Error for arrays that Writer::add_rollouts does not take
inline Rollout rollout_of(const Recording& step, const Text& text) {
  Rollout out;
  const auto refuse = [&](const std::string& what) {
    throw Error(corio::detail::join({"rollouts of '", step.name(), "': ", what}));
  };
  const auto find = [](const std::vector<Recording::Array>& arrays, const std::string& name) {
    const auto x = std::ranges::find(arrays, name, &Recording::Array::name);
    return x == arrays.end() ? nullptr : &*x;
  };
  std::string in_step, out_step, next_states, derivatives;
  const auto append = [](std::string& list, const std::string& x) { list += (list.empty() ? "" : ", ") + x; };
  auto &states = out.lists["$STATES{"], &parameters = out.lists["$PARAMETERS{"];
  int length = 0, controls = 0;
  const auto arrays = text.lists(step);
  for (const Text::Values& words : arrays.at("$IN{")) {
    const std::string& name = words.front().second;
    const auto *x = find(step.inputs(), name), *next = find(step.outputs(), name + "_next");
    if (next && next->size() != x->size()) refuse("'" + name + "_next' has another size than '" + name + "'");
    if (name == "u") controls = x->size();
    append(in_step, name == "u" ? "control" : next ? name + "_now" : name + "_");
    if (name != "u" && !next) parameters.push_back(words);
    if (name != "u" && !next) continue;
    append(derivatives, name == "u" ? "d_u + step * " + std::to_string(controls) : "d_" + name);
    out.differentiated.push_back(name);
    if (name == "u") continue;
    states.push_back(words);
    states.back().back().second = std::to_string(length);  // where it begins
    length += x->size();
  }
  for (const auto& x : step.outputs()) {
    const std::string state = x.name.substr(0, x.name.size() - (std::min<std::size_t>)(5, x.name.size()));
    const bool is_next = x.name == state + "_next" && find(step.inputs(), state);
    if (!is_next && (x.name != "cost" || x.size() != 1))
      refuse("the output '" + x.name + "' is neither cost nor a next state");
    append(out_step, is_next ? state + "_then" : "&now");
    if (is_next) append(next_states, state + "_then");
  }
  if (controls == 0 || states.empty() || !find(step.outputs(), "cost"))
    refuse("needs an input u, an input X with an output X_next, and an output cost");
  out.words = {{"NAME", step.name()},
               {"CONTROLS", std::to_string(controls)},
               {"GROUPS", std::to_string((controls + 3) / 4)},
               {"IN_STEP", in_step},
               {"OUT_STEP", out_step},
               {"IN_BACK", next_states + ", " + derivatives},
               {"LENGTH", std::to_string(length)},
               {"COUNT", std::to_string(text.language.lanes)},
               {"LANE", text.is_vector() ? "[l]" : ""},
               {"DEVICE", text.language.cuda ? "static __device__ __noinline__ " : "static "}};
  return out;
}

}}}}  // namespace corio::codegen::detail
