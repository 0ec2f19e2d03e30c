#pragma once

/// The templates that take long to compile, instantiated once per program instead of in each of its sources. The usual
/// way is to link the CMake target corio::compiled instead of corio::corio: it adds compiled/*_double.cpp to the target
/// that links it, so that they are compiled with the flags of that target, and defines CORIO_COMPILED, with which
/// corio/corio.hpp and the headers of closed loops and of control declare what these files define.
/// corio::compiled_float and CORIO_COMPILED_FLOAT compile for float, too. corio_add_compiled(name) makes a library of
/// these files, which several targets can link. Without CMake: define CORIO_COMPILED for all sources and compile these
/// files along with them, with equal options for vector registers (-march) and equal macros of Eigen.
///
/// An "undefined reference" to a function of corio means that the files were not linked. Functions that are not listed,
/// for example over another scalar or a factorization of your own, are compiled where they are used. In a class, only
/// members defined outside it are compiled once.

/// Declares the PART below at the end of the headers whose functions it lists.
#if defined(CORIO_COMPILED) && defined(CORIO_COMPILED_FLOAT)
#define CORIO_DECLARE_COMPILED(PART) CORIO_COMPILED_##PART(extern, double) CORIO_COMPILED_##PART(extern, float)
#elif defined(CORIO_COMPILED)
#define CORIO_DECLARE_COMPILED(PART) CORIO_COMPILED_##PART(extern, double)
#elif defined(CORIO_COMPILED_FLOAT)
#define CORIO_DECLARE_COMPILED(PART) CORIO_COMPILED_##PART(extern, float)
#else
#define CORIO_DECLARE_COMPILED(PART)
#endif

/// An algorithm, and its creation in Data.
#define CORIO_COMPILED_ALGORITHM(EXTERN, S, ...) \
  EXTERN template struct algorithm::__VA_ARGS__; \
  EXTERN template algorithm::__VA_ARGS__& detail::Memory::make<algorithm::__VA_ARGS__>(const Model<S>&);

/// The form of an algorithm for mechanisms, and its creation in MechanismData.
#define CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ...)                       \
  EXTERN template struct algorithm::ForMechanism<algorithm::__VA_ARGS__>; \
  EXTERN template algorithm::ForMechanism<algorithm::__VA_ARGS__>&        \
  detail::Memory::make<algorithm::ForMechanism<algorithm::__VA_ARGS__>>(const Mechanism<S>&);
