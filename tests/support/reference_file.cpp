#include "support/reference_file.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace corio::test {

ReferenceFile::ReferenceFile(const std::string& path) {
  std::ifstream in(path);
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(path + ": " + what);
  };
  require(in.good(), "cannot be opened");
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string key, skipped, name;
    fields >> key;
    if (key.empty() || key[0] == '#') continue;
    if (key == "nq") {
      fields >> nq;
    } else if (key == "nv") {
      fields >> nv;
    } else if (key == "joint") {
      ReferenceJoint j{};
      fields >> j.name >> j.type >> skipped >> j.q_index >> skipped >> j.nq >> skipped >> j.v_index >> skipped >> j.nv;
      joints.push_back(j);
    } else if (key == "state") {
      states.emplace_back();
    } else if (key == "mat") {
      Eigen::Index rows = 0, cols = 0;
      fields >> name >> rows >> cols;
      require(!states.empty() && rows > 0 && cols > 0, "a matrix without a state or a size: " + line);
      Eigen::MatrixXd& m = states.back()[name];
      m.resize(rows, cols);
      for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < cols; ++j) in >> m(i, j);
      require(in.good(), "numbers missing in " + name);
      std::getline(in, skipped);
    } else {
      require(false, "line not understood: " + line);
    }
    require(!fields.fail(), "line not understood: " + line);
  }
  require(!states.empty(), "no states");
}

}  // namespace corio::test
