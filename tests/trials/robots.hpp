#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// Limits the variety of random robots.
struct Variety {
  int bodies = 14;           // the largest number
  double decades = 6;        // range of the units of length and mass
  double mixed = 2;          // decades between sizes of bodies, twice as many between masses
  double far = 6;            // decades of the distance of one base in five from the origin
  bool user_joints = true;   // also joints that are not built in
  bool file_joints = false;  // only joints that URDF has
};

/// A random tree with its unit of length, in a random state. One robot in three has the units m and kg and bodies that
/// are alike; the others have units from 1e-6 to 1e6. Ball joints of Euler angles come close to gimbal lock, bodies may
/// have no mass, bases may be far from the origin, and one robot in four floats.
struct Robot {
  Model<double> model;
  Vector q, v, a;
  double length;
};
Robot random_robot(Random& random, const Variety& variety = {});

/// Returns a configuration of any model, with lengths of the given order.
Vector random_configuration_of(Random& random, const Model<double>& model, double length);
/// Returns numbers for speeds or accelerations; along an axis they are of the order of the length.
Vector random_speeds(Random& random, const Model<double>& model, double length);

}  // namespace corio::trials
