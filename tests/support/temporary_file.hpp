#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace corio::test {

/// A file in the folder for temporary files, deleted with this object.
class TemporaryFile {
 public:
  /// @param name  the end of the file's name
  explicit TemporaryFile(const std::string& text, const std::string& name = "robot.urdf")
      : path_(std::filesystem::temp_directory_path() /
              ("corio_" + std::to_string(std::random_device{}()) + "_" + name)) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A folder for files, deleted with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() { std::filesystem::create_directories(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

  /// @param name  of the file, also with folders
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("corio_" + std::to_string(std::random_device{}()));
};

/// A folder for files that is the current folder during the object's lifetime.
class WorkingFolder : public TemporaryFolder {
 public:
  WorkingFolder() { std::filesystem::current_path(path()); }
  ~WorkingFolder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace corio::test
