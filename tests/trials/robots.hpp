#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// The variety of random robots.
struct Variety {
  int bodies = 14;           // at most
  double decades = 6;        // of the units of length and mass of the whole robot
  double mixed = 2;          // of the size of one body, and twice as many of its mass, against another
  double far = 6;            // decades, of the distance of one base in five from the origin
  bool user_joints = true;   // joints that are no built-in ones
  bool file_joints = false;  // only those that URDF has
};

/// A random tree, with the unit of length that it has, in a random state. One robot in three is of the units m and kg,
/// and its bodies are alike; the others have units up to 1e6 and down to 1e-6. Ball joints of Euler angles come close
/// to gimbal lock, bodies may be without mass, bases far from the origin, and one robot in four floats.
struct Robot {
  Model<double> model;
  Vector q, v, a;
  double length;
};
Robot random_robot(Random& random, const Variety& variety = {});

/// A state of any model, whose lengths are of that order.
Vector random_configuration_of(Random& random, const Model<double>& model, double length);
/// Numbers for speeds or accelerations: those along an axis are of the order of the length.
Vector random_speeds(Random& random, const Model<double>& model, double length);

}  // namespace corio::trials
