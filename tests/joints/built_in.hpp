#pragma once

#include <tuple>
#include <utility>

#include "corio/joints/any.hpp"
#include "support/model_support.hpp"

/// The built-in joints, named once for all tests of them.
namespace corio::test {

template <class Joints, class S>
struct AllOver;
template <class... J, class S>
struct AllOver<std::tuple<J...>, S> {
  using type = std::tuple<Over<J, S>...>;
};

/// Each of the joints over each of the scalars.
template <class Joints, class... S>
using EachOver = decltype(std::tuple_cat(std::declval<typename AllOver<Joints, S>::type>()...));

/// The configurations of these are plain vectors; those of the others hold numbers whose squares sum up to one.
using BuiltInVectors =
    std::tuple<joint::Revolute, joint::Prismatic, joint::Helical, joint::Cylindrical, joint::Translation>;
using BuiltInWithNorm = std::tuple<joint::Planar, joint::Spherical, joint::FreeFlyer>;
using BuiltIn = decltype(std::tuple_cat(std::declval<BuiltInVectors>(), std::declval<BuiltInWithNorm>()));
/// Those that move about or along one axis.
using BuiltInAxial = std::tuple<joint::Revolute, joint::Prismatic, joint::Helical, joint::Cylindrical>;

}  // namespace corio::test
