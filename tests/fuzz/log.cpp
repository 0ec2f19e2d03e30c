#include <stdexcept>

#include "../examples/support/joint_log.hpp"
#include "corio/zoo/zoo.hpp"
#include "fuzz/entries.hpp"
#include "support/temporary_file.hpp"

void corio::fuzz::log(Bytes bytes) {
  static const Model<double> arm = zoo::serial_chain(2);
  static const test::TemporaryFile file("", "log.csv");
  std::ofstream(file.path(), std::ios::binary) << text_of(bytes);
  try {
    const auto log = support::read_joint_log(arm, file.path(), {});
    require(log.q.cols() == log.t.size() && log.tau.cols() == log.t.size(), "signals of a log have other lengths");
    require(log.t.allFinite() && log.q.allFinite() && log.v.allFinite() && log.tau.allFinite(),
            "a log with numbers that are not finite was accepted");
  } catch (const std::exception& error) {
    // Expects the exact class of the errors of tables, or of the examples' own errors, and no derived class.
    require(typeid(error) == typeid(Error) || typeid(error) == typeid(std::runtime_error),
            "a log was rejected by another exception");
  }
}
