#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "corio/core/error.hpp"

/// Reading and writing of files. Only regular files are read or replaced: reading a pipe or a device might never end.
/// Errors are of type E; std::bad_alloc is the only other exception.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Compares as unsigned, since char has a sign on some machines only.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

/// Returns the beginning of the input for a message: at most a line and 60 bytes, with control characters as question
/// marks.
inline std::string brief(std::string_view text) {
  constexpr std::size_t longest = 60;
  const std::size_t end = (std::min)({text.find_first_of("\r\n"), text.size(), longest});
  std::string part(text.substr(0, end));
  std::replace_if(part.begin(), part.end(), is_control, '?');
  return part + (end < text.size() ? "..." : "");
}
/// Returns the brief form of a text, in quotes.
inline std::string excerpt(std::string_view text) { return join({"'", brief(text), "'"}); }

/// Returns a whole path in quotes, since its end tells files apart. Anything that is not a path, such as the text of a
/// file, becomes an excerpt.
inline std::string quoted(const std::filesystem::path& path) {
  constexpr std::size_t longest = 4096;  // the longest path on Linux
  const std::string text = path.string();
  const bool is_path = text.size() <= longest && text.find('<') == text.npos && std::ranges::none_of(text, is_control);
  return is_path ? join({"'", text, "'"}) : excerpt(text);
}

/// Returns whether the path exists.
/// @param name  the name of the file, for messages
/// @throws E if it exists but is not a regular file
template <class E = ModelError>
bool is_regular(const std::filesystem::path& path, std::string_view name) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const std::filesystem::file_type kind = status.type();
  if (std::filesystem::is_directory(status)) throw E(join({name, " is a folder, expected a file"}));
  if (kind == std::filesystem::file_type::not_found) {
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)))
      throw E(join({name, " is a link to a file that does not exist"}));
    return false;
  }
  if (!std::filesystem::status_known(status) || kind == std::filesystem::file_type::unknown)
    throw E(join({name, " cannot be reached: ", error.message()}));
  if (!std::filesystem::is_regular_file(status)) throw E(join({name, " is not a regular file, but a pipe or device"}));
  return true;
}

/// Returns the content of a file.
/// @param what  the kind of file for messages, such as "URDF file"
/// @param most  the largest accepted size, in bytes
/// @throws E if it does not exist, is not a regular file, is larger, cannot be read, or is a pointer of Git LFS
template <class E = ModelError>
std::string read_file(const std::filesystem::path& path, std::string_view what,
                      std::uintmax_t most = std::uintmax_t(256) << 20) {
  const std::string name = join({what, " ", quoted(path)});
  if (!is_regular<E>(path, name)) throw E(join({name, " does not exist"}));
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed && size > most)
    throw E(join({name, " has ", Digits(size), " bytes, at most ", Digits(most), " are read"}));
  try {
    std::ifstream in(path, std::ios::binary);
    if (in && !failed) {
      std::string bytes(static_cast<std::size_t>(size), '\0');
      in.read(bytes.data(), std::ssize(bytes));
      bytes.resize(static_cast<std::size_t>(in.gcount()));
      if (bytes.starts_with("version https://git-lfs.github.com/spec/"))
        throw E(join({name, " is only a pointer of Git LFS; fetch the content: git lfs pull"}));
      if (!in.bad()) return bytes;
    }
  } catch (const std::ios_base::failure&) {
  }
  throw E(join({name, " cannot be read; check its permissions"}));
}

/// Text in UTF-8 without byte order mark and without zero bytes at its end, which some programs in C write.
struct PlainText {
  std::string_view text;  ///< a part of the given bytes
  std::size_t zeros = 0;  ///< the number of zero bytes at the end
};
/// Does not check the encoding itself: names are bytes.
/// @throws E for UTF-16 and zero bytes in the text
template <class E = ModelError>
PlainText plain_text(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    throw E("the text is in UTF-16, expected UTF-8; convert it: iconv -f UTF-16 -t UTF-8");
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t size = bytes.find_last_not_of('\0') + 1;
  const std::string_view text = bytes.substr(0, size);
  if (const std::size_t zero = text.find('\0'); zero != text.npos)
    throw E(join({"line ", Digits(1 + std::count(text.begin(), text.begin() + zero, '\n')),
                  ": it contains a zero byte, expected text in UTF-8"}));
  return {text, bytes.size() - size};
}

/// The text in a file, see plain_text.
template <class E = ModelError>
std::string read_text(const std::filesystem::path& path, std::string_view what) {
  const std::string bytes = read_file<E>(path, what);
  try {
    return std::string(plain_text<E>(bytes).text);
  } catch (const E& error) {
    throw E(join({what, " '", path.string(), "': ", error.what()}));
  }
}

/// Writes a file atomically: writes one with .part after its name and renames it, so that a process that is killed
/// leaves the old file or the complete new one. A symbolic link stays, and the file that it points to is replaced.
/// @throws E if it cannot be written, or if the path exists but is not a regular file
template <class E = ModelError>
void write_file(const std::filesystem::path& path, std::string_view bytes, std::string_view what) {
  const std::string name = join({what, " '", path.string(), "'"});
  std::error_code failed;
  const std::filesystem::path file = is_regular<E>(path, name) ? std::filesystem::canonical(path, failed) : path;
  std::filesystem::path part = file;
  part += ".part";
  is_regular<E>(part, join({what, " '", part.string(), "'"}));
  bool written = false;
  if (!failed) {
    std::ofstream out(part, std::ios::binary);
    out.write(bytes.data(), std::ssize(bytes));
    out.close();
    written = !out.fail();
  }
  if (written) std::filesystem::rename(part, file, failed);
  if (written && !failed) return;
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  throw E(join({name, " cannot be written", failed ? ": " : "", failed ? failed.message() : ""}));
}

}}}  // namespace corio::detail
