#pragma once

#include <optional>
#include <string>

// A number that hardware and controller share has a name, "joint/kind". In Humble the number is read and written
// without a lock, since Jazzy it may be locked for a moment. A claimed interface cannot be copied.
namespace hardware_interface {

struct StateInterface {
  std::string name;
  double* place;
};
struct CommandInterface : StateInterface {};

template <class Interface>
class Loaned {
 public:
  explicit Loaned(Interface& interface) : interface_(&interface) {}
  Loaned(const Loaned&) = delete;
  Loaned& operator=(const Loaned&) = delete;
  Loaned(Loaned&&) = default;
  Loaned& operator=(Loaned&&) = default;

#ifdef CORIO_ROS_HUMBLE
  const std::string get_name() const { return interface_->name; }
  double get_value() const { return *interface_->place; }
#else
  const std::string& get_name() const { return interface_->name; }
  template <class T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned int = 10) const {
    return *interface_->place;
  }
#endif

 protected:
  Interface* interface_;
};

class LoanedStateInterface : public Loaned<StateInterface> {
  using Loaned::Loaned;
};
class LoanedCommandInterface : public Loaned<CommandInterface> {
  using Loaned::Loaned;

 public:
#ifdef CORIO_ROS_HUMBLE
  void set_value(double x) { *interface_->place = x; }
#else
  template <class T>
  [[nodiscard]] bool set_value(const T& x, unsigned int = 10) {
    *interface_->place = x;
    return true;
  }
#endif
};

}  // namespace hardware_interface
