#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hardware_interface/loaned_interfaces.hpp"
#include "rclcpp/lifecycle_node.hpp"

// Declares what the headers of ros2_control declare for controllers: each function that a controller must define is
// pure virtual here, too, so that a controller that compiles with these headers compiles with the real ones. The
// declarations follow Jazzy and later releases, or with CORIO_ROS_HUMBLE Humble.
namespace controller_interface {

using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

enum class return_type : std::uint8_t { OK, ERROR };

enum class interface_configuration_type : std::uint8_t { ALL, INDIVIDUAL, NONE };
struct InterfaceConfiguration {
  interface_configuration_type type = interface_configuration_type::NONE;
  std::vector<std::string> names = {};
};

#ifdef CORIO_ROS_HUMBLE
using References = std::vector<hardware_interface::CommandInterface>;
#else
using References = std::vector<std::shared_ptr<hardware_interface::CommandInterface>>;
using States = std::vector<std::shared_ptr<const hardware_interface::StateInterface>>;
#endif

class ControllerInterfaceBase : public rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface {
 public:
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_init() = 0;
  virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;
  virtual bool is_chainable() const = 0;
  virtual References export_reference_interfaces() = 0;
#ifndef CORIO_ROS_HUMBLE
  virtual States export_state_interfaces() = 0;
#endif
  virtual bool set_chained_mode(bool chained_mode) = 0;
  virtual bool is_in_chained_mode() const = 0;

  void assign_interfaces(std::vector<hardware_interface::LoanedCommandInterface>&& commands,
                         std::vector<hardware_interface::LoanedStateInterface>&& states) {
    command_interfaces_ = std::move(commands), state_interfaces_ = std::move(states);
  }
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() { return node_; }

 protected:
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

 private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>();
};

class ControllerInterface : public ControllerInterfaceBase {
 public:
  bool is_chainable() const final { return false; }
  References export_reference_interfaces() final { return {}; }
#ifndef CORIO_ROS_HUMBLE
  States export_state_interfaces() final { return {}; }
#endif
  bool set_chained_mode(bool) final { return false; }
  bool is_in_chained_mode() const final { return false; }
};

}  // namespace controller_interface
