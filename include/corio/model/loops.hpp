#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "corio/core/dual.hpp"
#include "corio/model/closure.hpp"
#include "corio/model/model.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The loop constraints of a mechanism whose tree is a Model: closures between frames, couplings and relations of
/// coordinates. Together they are the conditions k(q) = 0, one row for each scalar condition, in the order they were
/// added. Loops(model) begins with the loops given to the builder.
///
///   corio::Loops<double> loops(model);
///   loops.close("knee", model.frame("rod_tip"), model.frame("shank_pin"), corio::closure::Revolute{{0, 1, 0}});
///   loops.couple("gear", {{"motor", 1.0}, {"link", -100.0}});  // motor = 100 link
///   loops.relate("cam", {"shaft", "lifter"}, [](const auto& x) { return x[1] - 0.01 * cos(x[0]); });
template <class S>
class Loops {
 public:
  /// The scalar of users' relations, for two rates and a derivative. A relation has at most eight coordinates, so that
  /// vectors of this scalar do not allocate.
  using RelatedScalar = Dual<Dual<Dual<S>>>;
  using Related = Eigen::Matrix<RelatedScalar, Eigen::Dynamic, 1, 0, 8, 1>;

  /// A closure (frames, conditions), a coupling (coordinates, factors, offset) or a relation (coordinates; factors
  /// unused).
  struct Loop {
    std::string name;
    int begin;  // its first row in k(q)
    std::vector<Frame<S>> frames;
    closure::Conditions conditions;
    std::vector<std::pair<Joint, double>> terms;
    double offset;
    std::function<RelatedScalar(const Related&)> relation;
    /// The relation for one more derivative.
    std::function<typename Loops<Dual<S>>::RelatedScalar(const typename Loops<Dual<S>>::Related&)> moving_relation;

    /// Evaluates the relation over T = S or Dual<S>.
    template <class T>
    auto relation_over(const typename Loops<T>::Related& x) const {
      if constexpr (std::is_same_v<T, S>)
        return relation(x);
      else
        return moving_relation(x);
    }
    int rows() const { return frames.empty() ? 1 : static_cast<int>(conditions.size()); }
  };

  /// Takes the loops given to the builder of the model, in their order.
  /// @throws ModelError as close and couple do
  explicit Loops(const Model<S>& model)
      : name_(model.name()), joints_(model.joints()), topology_id_(model.topology_id()) {
    for (const Joint& joint : joints_) joint_names_.add(joint.name());
    for (const LoopSpec& loop : model.loops()) detail::located(loop.line, [&] { add(model, loop); });
  }

  /// Adds a closure between two frames of the model; one of them may be on the ground (Model::ground_frame).
  /// @throws ModelError  for a frame of another model, two frames that the tree joins rigidly, a name that is taken, no
  ///   conditions, axes that are zero, a rod of no length, or numbers out of range
  template <class Closure>
  void close(std::string name, const Frame<S>& first, const Frame<S>& second, const Closure& closure) {
    for (const Frame<S>* frame : {&first, &second})
      if (frame->topology_id() != topology_id_) fail(name, {"frame '", frame->name(), "' belongs to another model"});
    if (first.node() == second.node())
      fail(name, {"frames '", first.name(), "' and '", second.name(), "' cannot move relative to each other"});
    Loop loop{std::move(name), rows_, {first, second}, {}, {}, 0.0, {}, {}}, senses = loop;
    for (const closure::Condition& c : closure.conditions())
      (c.form == closure::Condition::Form::sense ? senses : loop).conditions.push_back(c);
    const auto refuse = [&](std::initializer_list<std::string_view> what) {
      fail(loop.name, {"between frames '", first.name(), "' and '", second.name(), "': ", detail::join(what)});
    };
    if (loop.conditions.empty()) refuse({"it has no conditions"});
    for (const auto& [form, a, b, length] : closure.conditions())
      if (form == closure::Condition::Form::distance) {
        if (!(length > 0.0 && is_finite_nonzero(length * length)))
          refuse({"the length of a rod must be positive, and ", detail::range_rule});
      } else if (!is_axis(a) || (form != closure::Condition::Form::offset && !is_axis(b))) {
        refuse({"an axis must not be zero, and each number of it ", detail::range_rule});
      }
    add(std::move(loop));
    if (senses.conditions.empty()) return;
    senses.begin = sense_rows_;
    sense_rows_ += senses.rows();
    senses_.push_back(std::move(senses));
  }

  /// Adds the coupling sum factor_i q_i = offset of joints with one coordinate and one degree of freedom: a gear, a
  /// mimic joint, a differential.
  /// @throws ModelError  for other joints, names that the model does not have, factors that are zero, or numbers out of
  ///   range
  void couple(std::string name, const std::vector<CouplingTerm>& terms, double offset = 0.0) {
    add_coupling({std::move(name), rows_, {}, {}, {}, offset, {}, {}}, terms);
  }

  /// Adds the relation f(x) = 0 of the coordinates x of joints with one coordinate and one degree of freedom: a cam,
  /// noncircular gears, a joint that follows others by a measured relation, such as a knee.
  /// @param f  returns a number for a vector x of dual numbers (core/dual.hpp), from which K and its derivatives are
  ///   computed; write it as a generic lambda. It is evaluated several times per joint, also at configurations with
  ///   open loops. A configuration with zero gradient is singular; if the gradient, or a rate of it that is needed, is
  ///   not finite, functions throw a ModelError with the name of the relation.
  /// @throws ModelError  for other joints, names that the model does not have, or more than eight
  template <class F>
  void relate(std::string name, const std::vector<std::string>& joints, F f) {
    std::vector<CouplingTerm> terms;
    for (const std::string& joint : joints) terms.push_back({joint, 1.0});
    if (std::ssize(terms) > Related::MaxRowsAtCompileTime) fail(name, {"a relation takes at most eight joints"});
    using Moving = Loops<Dual<S>>;
    add_coupling({std::move(name),
                  rows_,
                  {},
                  {},
                  {},
                  0.0,
                  [f](const Related& x) -> RelatedScalar { return f(x); },
                  [f](const typename Moving::Related& x) -> typename Moving::RelatedScalar { return f(x); }},
                 terms);
  }

  const std::vector<Loop>& all() const { return loops_; }
  const Loop& loop(const std::string& name) const {
    for (const Loop& loop : loops_)
      if (loop.name == name) return loop;
    throw ModelError(detail::join({"model '", name_, "' has no loop '", name, "'"}));
  }
  /// The number of conditions, and the loop that row i belongs to.
  int rows() const { return rows_; }
  const Loop& of_row(int i) const {
    const Loop* found = nullptr;
    for (const Loop& loop : loops_)
      if (loop.begin <= i) found = &loop;
    return *found;
  }

  /// The conditions of closures on the sense of axes (closure.hpp), as loops of equal names. They restrict no motion,
  /// but must hold, too.
  const std::vector<Loop>& senses() const { return senses_; }
  /// These loops followed by senses().
  Loops with_senses() const {
    Loops result = *this;
    for (Loop loop : senses_) {
      loop.begin += rows_;
      result.loops_.push_back(std::move(loop));
    }
    result.rows_ += sense_rows_;
    return result;
  }

  /// @throws ModelError if these loops were made for another model
  void check_fits(const Model<S>& model, const char* function) const {
    if (model.topology_id() != topology_id_)
      throw ModelError(detail::join({function, ": the loops belong to another model than '", model.name(), "'"}));
  }

  /// These loops over another scalar, for the model cast to it.
  /// @throws ModelError for a relation, which cannot be converted (except to a Pack, which evaluates it for each state)
  template <class T>
  Loops<T> cast(const Model<T>& model) const {
    Loops<T> all(model);
    for (const Loop& loop : loops_) {
      if (all.names_.contains(loop.name)) continue;  // a loop of the model itself
      if (!loop.frames.empty()) {
        closure::Conditions conditions = loop.conditions;
        for (const Loop& sense : senses_)
          if (sense.name == loop.name)
            conditions.insert(conditions.end(), sense.conditions.begin(), sense.conditions.end());
        const auto frame = [&](const Frame<S>& f) {
          return Frame<T>(f.name(), f.node(), f.placement().template cast<T>(), model.topology_id());
        };
        all.close(loop.name, frame(loop.frames[0]), frame(loop.frames[1]),
                  closure::detail::Given{std::move(conditions)});
      } else {
        typename Loops<T>::Loop copy{loop.name, all.rows_, {}, {}, loop.terms, loop.offset, {}, {}};
        if (loop.relation) {
          copy.relation = by_state<T, T, S>(loop, loop.relation);
          copy.moving_relation = by_state<T, Dual<T>, Dual<S>>(loop, loop.moving_relation);
        }
        all.add(std::move(copy));
      }
    }
    return all;
  }

 private:
  template <class>
  friend class Loops;
  using Number = typename NumberOf<S>::Type;

  /// A relation over packs of states T, or over dual numbers X of such packs, evaluated for each state by itself,
  /// with numbers OneX of one state in place of X.
  template <class T, class X, class OneX, class F>
  std::function<typename Loops<X>::RelatedScalar(const typename Loops<X>::Related&)> by_state(const Loop& loop,
                                                                                              const F& f) const {
    if constexpr (states_of < T >> 1 && std::is_same_v<typename NumberOf<T>::Type, S>) {
      return [f](const typename Loops<X>::Related& x) {
        using OneScalar = typename Loops<OneX>::RelatedScalar;
        constexpr int parts = sizeof(OneScalar) / sizeof(S);  // a number and its derivatives
        typename Loops<X>::RelatedScalar result;
        typename Loops<OneX>::Related of_state(x.size());
        for (int l = 0; l < states_of<T>; ++l) {
          for (Eigen::Index i = 0; i < x.size(); ++i)
            for (int p = 0; p < parts; ++p)
              reinterpret_cast<S*>(&of_state[i])[p] = reinterpret_cast<const T*>(&x[i])[p][l];
          const OneScalar y = f(of_state);
          for (int p = 0; p < parts; ++p) reinterpret_cast<T*>(&result)[p].set(l, reinterpret_cast<const S*>(&y)[p]);
        }
        return result;
      };
    } else {
      fail(loop.name, {"a relation cannot be cast: add it to Loops over the new scalar"});
    }
  }

  void add(const Model<S>& model, const LoopSpec& loop) {
    if (loop.is_coupling()) return couple(loop.name, loop.terms, loop.offset);
    if (!loop.terms.empty() || loop.offset != 0.0)
      fail(loop.name, {"it has frames or conditions, and joints or an offset; give only one of the two"});
    close(loop.name, frame(model, loop, loop.first), frame(model, loop, loop.second),
          closure::detail::Given{loop.conditions});
  }

  const Frame<S>& frame(const Model<S>& model, const LoopSpec& loop, const std::string& name) const {
    if (!model.has_frame(name)) fail(loop.name, {"the model has no body or frame '", name, "'"});
    return model.frame(name);
  }
  void add_coupling(Loop loop, const std::vector<CouplingTerm>& terms) {
    if (terms.empty()) fail(loop.name, {"couplings need joints"});
    detail::Names coupled;
    for (const CouplingTerm& term : terms) {
      const int found = joint_names_.find(term.joint);
      if (found < 0) fail(loop.name, {"the model has no joint '", term.joint, "'"});
      const Joint& joint = joints_.data()[found];
      if (joint.nq() != 1 || joint.nv() != 1)
        fail(loop.name, {"joint '", joint.name(), "' (", joint.type(), ") must have one coordinate to be coupled"});
      if (!is_finite_nonzero(term.factor))
        fail(loop.name, {"the factor of joint '", joint.name(), "' must not be zero, and ", detail::range_rule});
      if (!detail::in_range(Number(loop.offset)))
        fail(loop.name, {"the offset in the coupling of joint '", joint.name(), "' ", detail::range_rule});
      if (!coupled.add(term.joint)) fail(loop.name, {"it names joint '", joint.name(), "' twice"});
      loop.terms.emplace_back(joint, term.factor);
    }
    add(std::move(loop));
  }
  void add(Loop loop) {
    if (!names_.add(loop.name)) fail(loop.name, {"the name is taken"});
    rows_ += loop.rows();
    loops_.push_back(std::move(loop));
  }
  /// Checks the numbers as values of S, since a small double may underflow to zero in S.
  static bool is_finite_nonzero(double x) { return detail::in_range(Number(x)) && value_of(Number(x)) != 0.0; }
  static bool is_axis(const Vector3<double>& a) { return is_finite_nonzero(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
  [[noreturn, gnu::cold]] void fail(const std::string& name, std::initializer_list<std::string_view> what) const {
    throw ModelError(detail::join({"loop '", name, "' of model '", name_, "': ", detail::join(what)}));
  }

  std::string name_;  // the name of the model
  std::vector<Joint> joints_;
  detail::Names joint_names_, names_;  // names_ has the names of the loops
  std::uint64_t topology_id_;
  std::vector<Loop> loops_, senses_;
  int rows_ = 0, sense_rows_ = 0;
};

}}  // namespace corio
