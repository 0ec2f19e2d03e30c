#pragma once

#include <random>

#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/model/builder.hpp"
#include "corio/kinematics/data.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/model/model.hpp"
#include "corio/model/zoo.hpp"

/// What is listed of models, workspace, kinematics and configurations: see corio/instances.hpp.
#define CORIO_INSTANCES_OF_MODEL(EXTERN, S)                                                                            \
  /* model.hpp */                                                                                                      \
  EXTERN template class Model<S>;                                                                                      \
  /* builder.hpp */                                                                                                    \
  EXTERN template class ModelBuilder<S>;                                                                               \
  /* data.hpp */                                                                                                       \
  EXTERN template class Data<S>;                                                                                       \
  /* forward_kinematics.hpp */                                                                                         \
  EXTERN template void forward_kinematics(const Model<S>&, Data<S>&, VectorIn<S>);                                     \
  EXTERN template void forward_kinematics(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);                        \
  EXTERN template void forward_kinematics(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>);           \
  /* frames.hpp */                                                                                                     \
  EXTERN template Pose<S> body_pose(const Model<S>&, const Data<S>&, const Frame<S>&);                                 \
  EXTERN template Motion<S> body_velocity(const Model<S>&, const Data<S>&, const Where<std::type_identity_t<S>>&);     \
  EXTERN template Motion<S> body_velocity(const Model<S>&, const Data<S>&, const Frame<S>&, ReferenceFrame);           \
  EXTERN template Motion<S> body_acceleration(const Model<S>&, const Data<S>&, const Where<std::type_identity_t<S>>&); \
  EXTERN template Motion<S> body_acceleration(const Model<S>&, const Data<S>&, const Frame<S>&, ReferenceFrame);       \
  EXTERN template Motion<S> body_classical_acceleration(const Model<S>&, const Data<S>&,                               \
                                                        const Where<std::type_identity_t<S>>&);                        \
  /* configuration.hpp */                                                                                              \
  EXTERN template VectorX<S> neutral(const Model<S>&);                                                                 \
  EXTERN template VectorX<S> random_configuration(const Model<S>&, std::mt19937&);                                     \
  EXTERN template void integrate(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);                             \
  EXTERN template VectorX<S> integrate(const Model<S>&, VectorIn<S>, VectorIn<S>);                                     \
  EXTERN template void difference(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);                            \
  EXTERN template VectorX<S> difference(const Model<S>&, VectorIn<S>, VectorIn<S>);                                    \
  EXTERN template void normalize(const Model<S>&, VectorOut<S>);                                                       \
  EXTERN template void check_configuration(const Model<S>&, VectorIn<S>, double);                                      \
  /* configuration_derivatives.hpp */                                                                                  \
  EXTERN template void integrate_derivatives(const Model<S>&, VectorIn<S>, VectorIn<S>, MatrixX<S>&, MatrixX<S>&);     \
  EXTERN template void difference_derivatives(const Model<S>&, VectorIn<S>, VectorIn<S>, MatrixX<S>&, MatrixX<S>&);    \
  /* inertial_parameters.hpp */                                                                                        \
  EXTERN template int num_inertial_parameters(const Model<S>&);                                                        \
  EXTERN template VectorX<S> inertial_parameters(const Model<S>&);                                                     \
  EXTERN template void set_inertial_parameters(Model<S>&, VectorIn<S>);                                                \
  /* zoo.hpp */                                                                                                        \
  EXTERN template Model<S> zoo::serial_chain(int);                                                                     \
  EXTERN template Model<S> zoo::tree(int, int);                                                                        \
  EXTERN template Model<S> zoo::binary_tree(int);                                                                      \
  EXTERN template Model<S> zoo::biped(int);                                                                            \
  EXTERN template Model<S> zoo::quadruped(int);                                                                        \
  EXTERN template Model<S> zoo::humanoid();                                                                            \
  EXTERN template Model<S> zoo::random_tree(std::uint64_t, const zoo::RandomTree&);
