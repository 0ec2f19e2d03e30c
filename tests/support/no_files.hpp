#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corio/core/error.hpp"
#include "support/temporary_file.hpp"

namespace corio::test {

/// Paths that a user may give by mistake instead of a file, in a folder of their own, with the parts that a message
/// must contain.
class NoFiles {
 public:
  /// @param extension  such as ".urdf", of those paths that have one
  explicit NoFiles(const std::string& extension) {
    namespace fs = std::filesystem;
    const auto path = [&](const char* name) { return folder() / (name + extension); };
    fs::create_directories(path("folder"));
    all.push_back({path("folder"), "is a folder"});
    if (mkfifo(path("fifo").c_str(), 0600) == 0)
      all.push_back({path("fifo"), "is not a regular file, but a pipe or device"});
    all.push_back({path("missing"), "does not exist"});
    fs::create_symlink(folder() / "nowhere", path("dangling"));
    all.push_back({path("dangling"), "is a link to a file that does not exist"});
    fs::create_symlink(path("circle"), path("circle"));
    all.push_back({path("circle"), "cannot be reached"});
    std::ofstream(folder() / "file") << "text";
    all.push_back({folder() / "file" / ("below" + extension), "does not exist"});
    all.push_back({folder() / (std::string(1000, 'x') + extension), "cannot be reached"});
    fs::create_symlink("/dev/zero", path("zero"));
    for (const fs::path& device : {path("zero"), fs::path("/dev/zero")})
      all.push_back({device, "is not a regular file, but a pipe or device"});
    std::ofstream(path("locked")) << "text";
    fs::permissions(path("locked"), fs::perms::none);
    if (geteuid() != 0) all.push_back({path("locked"), "cannot be read"});  // root can read it
    std::ofstream(path("empty")).flush();
    all.push_back({path("empty"), ""});
  }

  struct Path {
    std::filesystem::path path;
    std::string said;
  };
  std::vector<Path> all;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// Returns what is wrong with read(path), which must throw an Error within a second, or nothing.
std::string not_rejected(const auto& read, const NoFiles::Path& given) {
  const auto begin = std::chrono::steady_clock::now();
  std::string fault = given.path.string() + " is accepted";
  try {
    read(given.path);
  } catch (const Error& error) {
    const std::string message = error.what();
    fault = message.find(given.said) == message.npos ? "'" + given.said + "' is not in: " + message : "";
  } catch (const std::exception& error) {
    fault = given.path.string() + ": not an Error of corio: " + error.what();
  }
  if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(1)) fault += "; it took more than a second";
  return fault;
}

}  // namespace corio::test
