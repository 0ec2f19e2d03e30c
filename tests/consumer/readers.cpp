#ifdef READS_MESH
#include <corio/io/mesh.hpp>
#else
#include <corio/io/yaml_loops.hpp>
#endif

#include <iostream>

// The program must compile and link; a missing file is enough to call into the readers.
int main() {
  try {
#ifdef READS_MESH
    corio::mesh::solid({.file = "no_such_mesh.stl"});
#else
    corio::ModelBuilder<double> builder;
    corio::yaml::add_loops(builder, "no_such_robot.yaml");
#endif
  } catch (const corio::ModelError& error) {
    std::cout << "rejected as expected: " << error.what() << '\n';
    return 0;
  }
  return 1;
}
