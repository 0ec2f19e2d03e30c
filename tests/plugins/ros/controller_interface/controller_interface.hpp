#pragma once

#include <cstdio>
#include <string>
#include <vector>

// The shape of what ros2_control gives to its controllers, as far as guide/plugins.md uses it.
namespace rclcpp {
struct Time {};
struct Duration {};
}  // namespace rclcpp
namespace rclcpp_lifecycle {
struct State {};
}  // namespace rclcpp_lifecycle

namespace controller_interface {

enum class CallbackReturn { SUCCESS, ERROR };
enum class return_type { OK, ERROR };

/// A number that the plugin and its host share.
struct Interface {
  double* place;
  double get_value() const { return *place; }
  void set_value(double x) { *place = x; }
};

struct Node {
  std::string text;
  std::string& get_logger() { return text; }
};
#define RCLCPP_ERROR(logger, format, text) (void)((logger) = (text))

class ControllerInterface {
 public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State&) = 0;
  virtual return_type update(const rclcpp::Time&, const rclcpp::Duration&) = 0;
  Node* get_node() { return &node_; }

  Node node_;
  std::vector<Interface> state_interfaces_, command_interfaces_;
};

}  // namespace controller_interface
