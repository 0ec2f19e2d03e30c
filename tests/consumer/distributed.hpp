#pragma once

#include <Eigen/Dense>
#include <vector>

/// A library as distributions build it: its interface holds fixed-size objects of Eigen, whose layout depends on flags.
struct Reading {
  char name;
  Eigen::Vector4d force;
  Eigen::Matrix4f pose;
  Eigen::Quaterniond orientation;
};
std::vector<Reading> make_readings(int n);
double sum_of(const std::vector<Reading>& readings, const Eigen::Matrix4d& gain);
Eigen::Matrix4d unit_gain();
/// Passes arrays that one side allocates and the other resizes and frees.
Eigen::MatrixXd grown(Eigen::MatrixXd x);
