#include "corio/core/detail/file.hpp"

#include "../../examples/support/file_name.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"

using namespace corio::test;
using corio::Error;
using corio::ModelError;
using corio::detail::plain_text;
using corio::detail::read_file;
using corio::detail::read_text;
using corio::detail::write_file;

namespace fs = std::filesystem;

TEST_CASE("what is no regular file is rejected without being read or replaced", "[core][file]") {
  const NoFiles no_files(".txt");
  for (const auto& given : no_files.all) {
    if (given.said.empty()) continue;  // an empty file
    CHECK(not_rejected([](const fs::path& path) { read_file<Error>(path, "some file"); }, given).empty());
    if (given.path.filename() == "missing.txt" || given.path.filename() == "locked.txt") continue;
    const fs::file_status before = fs::symlink_status(given.path.parent_path());
    CHECK_THROWS_AS(write_file(given.path, "text", "some file"), ModelError);
    CHECK(fs::symlink_status(given.path.parent_path()).type() == before.type());
  }
  CHECK(fs::is_fifo(no_files.folder() / "fifo.txt"));
  CHECK(fs::is_character_file("/dev/zero"));
  CHECK(fs::is_symlink(no_files.folder() / "dangling.txt"));
  for (const auto& entry : fs::directory_iterator(no_files.folder())) CHECK(entry.path().extension() != ".part");
}

TEST_CASE("a file is read as it is, up to a size", "[core][file]") {
  const NoFiles files("");
  const fs::path path = files.folder() / "written";
  const std::string bytes("\xEF\xBB\xBF\0a\r\n\0", 8);
  write_file(path, bytes, "some file");
  CHECK(read_file(path, "some file") == bytes);
  CHECK(read_file(path, "some file", 8) == bytes);
  CHECK_THROWS_WITH(read_file(path, "some file", 7), Catch::Contains("has 8 bytes, at most 7 are read"));
  CHECK(read_file(files.folder() / "empty", "some file").empty());
}

TEST_CASE("a pointer of Git LFS in place of a file is rejected", "[core][file]") {
  const NoFiles files("");
  const fs::path path = files.folder() / "written";
  write_file(path, "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 9\n", "some file");
  CHECK_THROWS_WITH(read_file(path, "some file"),
                    Catch::Contains("written' is only a pointer of Git LFS") && Catch::Contains("git lfs pull"));
}

TEST_CASE("a file is written whole, and beside what stands there", "[core][file]") {
  const NoFiles files("");
  const fs::path path = files.folder() / "written", link = files.folder() / "link",
                 part = files.folder() / "written.part";
  write_file(path, "first", "some file");
  fs::create_symlink(path, link);
  write_file(link, "second", "some file");
  CHECK(fs::is_symlink(link));
  CHECK(read_file(path, "some file") == "second");
  CHECK_FALSE(fs::exists(part));
  // A partial file that a killed process left is replaced; anything else with that name is left alone.
  std::ofstream(part) << "left";
  write_file(path, "third", "some file");
  CHECK(read_file(path, "some file") == "third");
  CHECK_FALSE(fs::exists(part));
  REQUIRE(mkfifo(part.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(write_file(path, "fourth", "some file"),
                    Catch::Contains("written.part' is not a regular file, but a pipe or device"));
  CHECK(read_file(path, "some file") == "third");
}

TEST_CASE("text is UTF-8, without its mark and without zero bytes at its end", "[core][file]") {
  CHECK(plain_text("").text.empty());
  CHECK(plain_text("a\nb").text == "a\nb");
  CHECK(plain_text("\xEF\xBB\xBF"
                   "a")
            .text == "a");
  const auto ended = plain_text(std::string_view("a\0\0", 3));
  CHECK(ended.text == "a");
  CHECK(ended.zeros == 2);
  CHECK(plain_text(std::string_view("\0", 1)).text.empty());
  CHECK_THROWS_WITH(plain_text(std::string_view("a\n\0b", 4)), Catch::Contains("line 2: it contains a zero byte"));
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"}) CHECK_THROWS_WITH(plain_text(mark), Catch::Contains("UTF-16"));

  const NoFiles files("");
  const fs::path path = files.folder() / "written";
  write_file(path,
             std::string_view("\xEF\xBB\xBF"
                              "a\0",
                              5),
             "some file");
  CHECK(read_text(path, "some file") == "a");
  write_file(path,
             "\xFF\xFE"
             "a",
             "some file");
  CHECK_THROWS_WITH(
      read_text<Error>(path, "some file"),
      "some file '" + path.string() + "': the text is in UTF-16, expected UTF-8; convert it: iconv -f UTF-16 -t UTF-8");
}

TEST_CASE("names from files never form paths", "[core][file]") {
  for (const std::string& name : {std::string("../../etc/passwd"), std::string("/root"), std::string("a\\b:c"),
                                  std::string(".."), std::string("."), std::string(), std::string("a\0/b", 4),
                                  std::string(5000, '/'), std::string("line\r\nbreak")}) {
    const fs::path path = fs::path("folder") / (support::file_name(name) + ".html");
    CAPTURE(path);
    CHECK(path.parent_path() == "folder");
    CHECK(path.lexically_normal() == path);
    CHECK(path.filename().string().find_first_of("/\\:\r\n") == std::string::npos);
    CHECK(path.filename().string().size() < 120);
  }
  CHECK(support::file_name("arm7-v1.2_\xC3\xA4") == "arm7-v1.2_\xC3\xA4");
}
