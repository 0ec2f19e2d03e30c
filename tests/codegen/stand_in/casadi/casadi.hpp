#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

/// A stand-in for CasADi's graphs, which Debian does not have: the part of the interface of SXElem that corio uses. As
/// there, comparisons are expressions, no expression is a bool, and only a constant converts to double.
namespace casadi {

class SXElem {
 public:
  SXElem() : SXElem(std::numeric_limits<double>::quiet_NaN()) {}
  SXElem(double constant) : node_(std::make_shared<Node>(Node{.value = constant})) {}
  static SXElem sym(double& value_of_evaluation) {
    SXElem x;
    x.node_->symbol = &value_of_evaluation;
    return x;
  }
  bool is_constant() const { return !node_->symbol && !node_->function; }
  bool is_zero() const { return is_constant() && node_->value == 0; }
  explicit operator double() const {
    if (!is_constant()) throw std::runtime_error("stand-in: not a constant");
    return node_->value;
  }
  explicit operator long long() const { return static_cast<long long>(static_cast<double>(*this)); }

  friend bool is_equal(const SXElem& a, const SXElem& b) {
    return a.node_ == b.node_ || (a.is_constant() && b.is_constant() && a.node_->value == b.node_->value);
  }
  using Function = double (*)(double, double);
  friend SXElem apply(Function f, const SXElem& a, const SXElem& b) {
    if (a.is_constant() && b.is_constant()) return f(a.node_->value, b.node_->value);
    SXElem y;
    y.node_->function = f, y.node_->operands = {a.node_, b.node_};
    return y;
  }
  /// Returns the values at those of the symbols.
  friend std::vector<double> evaluate(const std::vector<SXElem>& y) {
    static int evaluation = 0;
    ++evaluation;
    const auto value = [](const auto& self, Node& node) -> double {
      if (node.symbol) return *node.symbol;
      if (!node.function || node.evaluation == evaluation) return node.value;
      node.evaluation = evaluation;
      return node.value = node.function(self(self, *node.operands[0]), self(self, *node.operands[1]));
    };
    std::vector<double> values;
    for (const SXElem& x : y) values.push_back(value(value, *x.node_));
    return values;
  }

 private:
  struct Node {
    double value = 0;
    const double* symbol = nullptr;
    Function function = nullptr;
    std::vector<std::shared_ptr<Node>> operands{};
    int evaluation = 0;
  };
  std::shared_ptr<Node> node_;
};

#define CORIO_STAND_IN(name, expression)                                                \
  inline SXElem name(const SXElem& left, const SXElem& right) {                         \
    return apply([](double a, double b) -> double { return expression; }, left, right); \
  }
CORIO_STAND_IN(operator+, a + b)
CORIO_STAND_IN(operator-, a - b)
CORIO_STAND_IN(operator*, a* b)
CORIO_STAND_IN(operator/, a / b)
CORIO_STAND_IN(operator<, a < b)
CORIO_STAND_IN(operator<=, a <= b)
CORIO_STAND_IN(operator>, a > b)
CORIO_STAND_IN(operator>=, a >= b)
CORIO_STAND_IN(operator==, a == b)
CORIO_STAND_IN(operator!=, a != b)
CORIO_STAND_IN(operator&&, a != 0 && b != 0)
CORIO_STAND_IN(operator||, a != 0 || b != 0)
CORIO_STAND_IN(atan2, std::atan2(a, b))
CORIO_STAND_IN(if_else_zero, a != 0 ? b : 0)
#undef CORIO_STAND_IN
#define CORIO_STAND_IN(name, expression)                                                 \
  inline SXElem name(const SXElem& x) {                                                  \
    return apply([](double a, double) -> double { return expression; }, x, SXElem(0.0)); \
  }
CORIO_STAND_IN(operator-, -a)
CORIO_STAND_IN(operator!, a == 0)
CORIO_STAND_IN(sin, std::sin(a))
CORIO_STAND_IN(cos, std::cos(a))
CORIO_STAND_IN(atan, std::atan(a))
CORIO_STAND_IN(tanh, std::tanh(a))
CORIO_STAND_IN(sqrt, std::sqrt(a))
CORIO_STAND_IN(fabs, std::fabs(a))
CORIO_STAND_IN(abs, std::fabs(a))
CORIO_STAND_IN(floor, std::floor(a))
#undef CORIO_STAND_IN

inline SXElem if_else(const SXElem& where, const SXElem& a, const SXElem& b) {
  return if_else_zero(where, a) + if_else_zero(!where, b);
}
inline SXElem& operator+=(SXElem& a, const SXElem& b) { return a = a + b; }
inline SXElem& operator-=(SXElem& a, const SXElem& b) { return a = a - b; }
inline SXElem& operator*=(SXElem& a, const SXElem& b) { return a = a * b; }
inline SXElem& operator/=(SXElem& a, const SXElem& b) { return a = a / b; }

}  // namespace casadi
