#pragma once

#include <corio/kinematics/data.hpp>
#include <filesystem>
#include <string>
#include <vector>

/// The page of a robot: robot_report robot.urdf --html folder.
namespace report {

/// The time that a function takes for one call.
struct Timed {
  std::string name;
  double microseconds;
  std::string result;
};

/// Data of the report that are also printed.
struct Printed {
  std::string summary, tree, notes;
  std::vector<Timed> times;
};

/// Returns whether two degrees of freedom are coupled: one joint carries the other, or both belong to one joint.
Eigen::Matrix<bool, -1, -1> coupling(const corio::Model<double>& model);

/// Writes the robot's name, as file_name gives it, with .html into the folder: a page without links to anything else.
/// @param page  page.html
/// @returns the file
std::filesystem::path write_page(const corio::Model<double>& model, const Printed& printed,
                                 const std::filesystem::path& folder, const std::filesystem::path& page);

}  // namespace report
