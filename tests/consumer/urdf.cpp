#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>

#include <exception>
#include <iostream>

// corio::compiled_urdf must compile and link; a missing file is enough to call into it.
int main() {
  try {
    auto model = corio::urdf::load("no_such_robot.urdf");
  } catch (const std::exception& error) {
    std::cout << "rejected as expected: " << error.what() << '\n';
    return 0;
  }
  return 1;
}
