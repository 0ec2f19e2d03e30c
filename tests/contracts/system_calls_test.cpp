#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contracts/control_loop.hpp"
#include "support/catch.hpp"

// A control loop makes no system calls: no memory, lock, file or clock. The kernel itself watches a child process, and
// kills it at its first system call.

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CORIO_TEST_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(CORIO_TEST_ADDRESS_SANITIZER) && !defined(__SANITIZE_ADDRESS__)  // it makes system calls of its own

using namespace corio;
using namespace corio::test;

namespace {

enum class End { quiet, killed, unwatched };

/// Calls all functions once, then `rounds` times under watch.
End end_of(const std::vector<NamedCall>& calls, int rounds) {
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& call : calls) call.run();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(1);
    for (int i = 0; i < rounds; ++i)
      for (const auto& call : calls) call.run();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return End::killed;
  return WEXITSTATUS(status) == 0 ? End::quiet : End::unwatched;
}

}  // namespace

TEST_CASE("a system call under watch is the last one", "[contracts][real_time]") {
  const End end = end_of({{"getppid", [] { getppid(); }}}, 1);
  if (end == End::unwatched) WARN("the kernel watches no process here: nothing is tested");
  CHECK(end != End::quiet);
}

TEST_CASE("nothing that a control loop calls makes a system call after its first call", "[contracts][real_time]") {
  const std::vector<NamedCall> calls = control_loop();
  REQUIRE(calls.size() > 50);
  CHECK(end_of(calls, 5) != End::killed);
}

#endif
