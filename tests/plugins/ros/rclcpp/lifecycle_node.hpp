#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

// Declares nodes with a life cycle, whose callbacks all have a default, and loggers, which keep only the last text
// here.
namespace rclcpp {

class Time {};
class Duration {};
struct Logger {
  std::string* text;
};
#define RCLCPP_ERROR(logger, ...)                                                         \
  do {                                                                                    \
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(logger)>, rclcpp::Logger>); \
    char written[2000];                                                                   \
    std::snprintf(written, sizeof written, __VA_ARGS__);                                  \
    *(logger).text = written;                                                             \
  } while (0)

}  // namespace rclcpp

namespace rclcpp_lifecycle {

class State {};

class LifecycleNode {
 public:
  rclcpp::Logger get_logger() const { return {&text_}; }

 private:
  mutable std::string text_;
};

namespace node_interfaces {

class LifecycleNodeInterface {
 public:
  enum class CallbackReturn : std::uint8_t { SUCCESS, FAILURE, ERROR };
  virtual ~LifecycleNodeInterface() = default;
  virtual CallbackReturn on_configure(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_cleanup(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_shutdown(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_activate(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_deactivate(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_error(const State&) { return CallbackReturn::FAILURE; }
};

}  // namespace node_interfaces
}  // namespace rclcpp_lifecycle
