#pragma once

/// The templates that take long to compile, instantiated once per program instead of in each of its sources. The usual
/// way is to link the CMake target corio::compiled instead of corio::corio: it adds compiled/*_double.cpp to the target
/// that links it, so they have its compiler flags, and defines CORIO_COMPILED, with which corio/corio.hpp and the
/// headers of closed loops and of control declare what these files define. corio::compiled_float and
/// CORIO_COMPILED_FLOAT do the same for float, too. Where several targets share what is compiled,
/// corio_add_compiled(name) makes a library of it that they link. Without CMake: define CORIO_COMPILED for all sources
/// and compile these files along with them, with the same options for vector registers (-march) and the same macros of
/// Eigen.
///
/// An "undefined reference" to a function of corio means that the files were not linked. What is not listed, such as
/// another scalar or a factorization of your own, is compiled where it is used. Of a class, only members defined
/// outside it are compiled once.

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

/// An algorithm, and how Data makes room for it.
#define CORIO_COMPILED_ALGORITHM(EXTERN, S, ...) \
  EXTERN template struct algorithm::__VA_ARGS__; \
  EXTERN template algorithm::__VA_ARGS__& detail::Memory::make<algorithm::__VA_ARGS__>(const Model<S>&);

#define CORIO_COMPILED_MODEL(EXTERN, S)                                                                       \
  EXTERN template class Model<S>;                                                                             \
  EXTERN template Model<S> Model<double>::cast() const;                                                       \
  EXTERN template class ModelBuilder<S>;                                                                      \
  EXTERN template class Loops<S>;                                                                             \
  EXTERN template class Data<S>;                                                                              \
  EXTERN template void detail::throw_number_count(const char*, Eigen::Index, const detail::Speeds<Model<S>>&, \
                                                  const char*);                                               \
  EXTERN template void detail::kinematics_pass(const Model<S>&, Data<S>&, Pass, int);                         \
  EXTERN template Data<S>& detail::find_state(const Model<S>&, Data<S>&, Pass, int, VectorIn<S>, VectorIn<S>, \
                                              VectorIn<S>, const char*);                                      \
  EXTERN template VectorX<S> neutral(const Model<S>&);                                                        \
  EXTERN template void detail::compute_body_inertias(const Model<S>&, Data<S>&);                              \
  EXTERN template void detail::compute_composite_inertias(const Model<S>&, Data<S>&);                         \
  EXTERN template void detail::compute_composite_coriolis(const Model<S>&, Data<S>&);                         \
  EXTERN template Model<S> zoo::serial_chain(int);                                                            \
  EXTERN template Model<S> zoo::tree(int, int);                                                               \
  EXTERN template Model<S> zoo::binary_tree(int);                                                             \
  EXTERN template Model<S> zoo::biped(int);                                                                   \
  EXTERN template Model<S> zoo::quadruped(int);                                                               \
  EXTERN template Model<S> zoo::humanoid();                                                                   \
  EXTERN template Model<S> attach(const Model<S>&, const std::string&, const Model<S>&, const std::string&);  \
  EXTERN template std::string describe(const Model<S>&);                                                      \
  EXTERN template void integrate(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);                    \
  EXTERN template void difference(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);

#define CORIO_COMPILED_IDENTIFICATION(EXTERN, S)  \
  EXTERN template class StreamingLeastSquares<S>; \
  EXTERN template class BaseParameters<S>;

#define CORIO_COMPILED_DYNAMICS(EXTERN, S)                                                                         \
  EXTERN template void detail::body_forces(const Model<S>&, const Data<S>&, const PerNode<Motion<S>>&,             \
                                           ExternalForces<S>, PerNode<Force<S>>&);                                 \
  EXTERN template class detail::ArticulatedFactor<S>;                                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Rnea<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, NonlinearEffects<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedGravity<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Crba<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Aba<S>)                                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, JointReactions<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, HybridDynamics<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverse<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverseProduct<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverseProducts<S>)                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForces<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForceDerivatives<S>)                                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, FrictionStep<S>)                                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Step<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Energy<S>)                                                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S, factorization::Plain>)                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixDot<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDot<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDot<S, factorization::Plain>)                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisProduct<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisProduct<S, factorization::Plain>)                                    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisTransposeProduct<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisTransposeProduct<S, factorization::Plain>)                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, SlotineLiInverseDynamics<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedMomentum<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobian<S>)                                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobianDot<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumMatrix<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumMatrixDot<S>)                                              \
  EXTERN template struct detail::ReferenceMotions<S>;                                                              \
  EXTERN template detail::ReferenceMotions<S>& detail::Memory::make<detail::ReferenceMotions<S>>(const Model<S>&); \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Regressor<S>)                                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, RegressorProduct<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, RegressorTransposeProduct<S>)                                                \
  EXTERN template void body_jacobian(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>);         \
  EXTERN template void body_jacobian_dot(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>);     \
  EXTERN template class Simulation<S>;

#define CORIO_COMPILED_DERIVATIVES(EXTERN, S)                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GravityDot<S>)                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GravityDerivatives<S>)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ChristoffelSymbols<S>)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PackedChristoffelSymbols<S>)         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ChristoffelSymbolsSecondKind<S>)     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CovariantDerivative<S>)              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeodesicResidual<S>)                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, StructureConstantsFirstKind<S>)      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixDerivatives<S>)            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDerivatives<S>)        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsDerivatives<S>)       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumDerivatives<S>)    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsHessian<S>)           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsSecondDerivatives<S>) \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsDerivatives<S>)       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsHessian<S>)

/// The form of an algorithm for mechanisms, and its creation in MechanismData.
#define CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ...)                       \
  EXTERN template struct algorithm::ForMechanism<algorithm::__VA_ARGS__>; \
  EXTERN template algorithm::ForMechanism<algorithm::__VA_ARGS__>&        \
  detail::Memory::make<algorithm::ForMechanism<algorithm::__VA_ARGS__>>(const Mechanism<S>&);

#define CORIO_COMPILED_MECHANISM(EXTERN, S) EXTERN template class Mechanism<S>;

#define CORIO_COMPILED_ASSEMBLE(EXTERN, S)                                                      \
  EXTERN template Assembly<S> assemble(const Model<S>&, Data<S>&, const Loops<S>&, VectorIn<S>, \
                                       const std::vector<int>&, double);

#define CORIO_COMPILED_MECHANISM_KINEMATICS(EXTERN, S)                                                               \
  EXTERN template class MechanismData<S>;                                                                            \
  EXTERN template MechanismData<S>& detail::mechanism_pass(const Mechanism<S>&, MechanismData<S>&, Pass,             \
                                                           detail::OpenLoops, const char*, VectorIn<S>, VectorIn<S>, \
                                                           VectorIn<S>);

#define CORIO_COMPILED_MECHANISM_QUANTITIES(EXTERN, S)                \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Rnea<S>)                     \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, JointReactions<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, GeneralizedGravity<S>)       \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, PassiveForces<S>)            \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, SlotineLiInverseDynamics<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, GeneralizedMomentum<S>)      \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ComJacobian<S>)              \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ComJacobianDot<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumMatrix<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumMatrixDot<S>)

#define CORIO_COMPILED_MECHANISM_DYNAMICS(EXTERN, S)                  \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, NonlinearEffects<S>)         \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Crba<S>)                     \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Aba<S>)                      \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, HybridDynamics<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, MassMatrixInverse<S>)        \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, MassMatrixInverseProduct<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisMatrix<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisMatrixDot<S>)        \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisProduct<S>)          \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisTransposeProduct<S>)

#define CORIO_COMPILED_MECHANISM_DERIVATIVES(EXTERN, S)                    \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ChristoffelSymbols<S>)            \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, InverseDynamicsDerivatives<S>)    \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumDerivatives<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ForwardDynamicsDerivatives<S>)

#define CORIO_COMPILED_MECHANISM_STEP(EXTERN, S)                   \
  EXTERN template struct algorithm::FrictionStep<S, Mechanism<S>>; \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Step<S>)

#define CORIO_COMPILED_CONSTRAINED_DYNAMICS(EXTERN, S)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ConstrainedForwardDynamics<S>) \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ConstrainedImpulse<S>)

#define CORIO_COMPILED_CONSTRAINED_INVERSE_DYNAMICS(EXTERN, S)     \
  EXTERN template struct algorithm::ConstrainedInverseDynamics<S>; \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ConstrainedInverseDynamics<S>)

#define CORIO_COMPILED_INVERSE_KINEMATICS(EXTERN, S)       \
  EXTERN template InverseKinematics<S> inverse_kinematics( \
      const Model<S>&, Data<S>&, const std::vector<PoseTarget<S>>&, VectorIn<S>, const InverseKinematicsOptions<S>&);

/// Control laws and observers on a Model; on a Mechanism they are compiled where they are used.
#define CORIO_COMPILED_TRACKING_ERROR(EXTERN, S)                                                           \
  EXTERN template class TrackingError<S>;                                                                  \
  EXTERN template void TrackingError<S>::update(const Model<S>&, const Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                VectorIn<S>, const char*);

#define CORIO_COMPILED_SLOTINE_LI(EXTERN, S)                                                                  \
  EXTERN template const VectorX<S>& SlotineLi<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                         VectorIn<S>);

#define CORIO_COMPILED_COMPUTED_TORQUE(EXTERN, S)                                                                  \
  EXTERN template const VectorX<S>& ComputedTorque<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                              VectorIn<S>);

#define CORIO_COMPILED_PD_PLUS(EXTERN, S) \
  EXTERN template const VectorX<S>& PDPlus<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>);

#define CORIO_COMPILED_ADAPTIVE_PARAMETERS(EXTERN, S) EXTERN template class AdaptiveParameters<S>;

#define CORIO_COMPILED_ADAPTIVE_SLOTINE_LI(EXTERN, S)                                                                 \
  EXTERN template class AdaptiveSlotineLi<S>;                                                                         \
  EXTERN template const VectorX<S>& AdaptiveSlotineLi<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                                 VectorIn<S>, double);

#define CORIO_COMPILED_FILTERED_REGRESSORS(EXTERN, S)                                                 \
  EXTERN template class FilteredRegressors<S>;                                                        \
  EXTERN template FilteredRegressors<S>::FilteredRegressors(const Model<S>&, double, BalanceEquation, \
                                                            const BodySelection&);                    \
  EXTERN template void FilteredRegressors<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, double);

#define CORIO_COMPILED_MOMENTUM_OBSERVER(EXTERN, S) \
  EXTERN template const VectorX<S>& MomentumObserver<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, double);

#define CORIO_COMPILED_COLLISION_DETECTOR(EXTERN, S) \
  EXTERN template const Collision& CollisionDetector<S>::detect(const Model<S>&, Data<S>&, const MomentumObserver<S>&);

#define CORIO_COMPILED_OPERATIONAL_SPACE(EXTERN, S)              \
  EXTERN template class detail::SupportedRobot<S>;               \
  EXTERN template class OperationalSpace<S>;                     \
  EXTERN template const VectorX<S>& OperationalSpace<S>::update( \
      const Model<S>&, Data<S>&, std::span<const OperationalTask<S>>, VectorIn<S>, const OperationalTask<S>&);
