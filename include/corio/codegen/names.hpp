#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// Whether a text is an identifier of C.
inline bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Whether NAME.h is a header of C or POSIX, in letters of any case, as file systems may not tell them apart. A robot
/// of this name would hide it from all sources that find the robot's header.
inline bool is_system_header(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::string_view headers =
      " aio assert complex cpio ctype dirent dlfcn endian errno fcntl features fenv float fmtmsg fnmatch ftw getopt "
      "glob grp iconv inttypes io iso646 langinfo libgen limits link locale malloc math memory monetary mqueue ndbm "
      "netdb nl_types poll process pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg "
      "stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar "
      "termios tgmath threads time trace uchar ucontext ulimit unistd utime utmpx values wchar wctype windows "
      "wordexp ";
  return headers.find(" " + name + " ") != headers.npos;
}

/// A name made an identifier of C: every other byte becomes _, and robot_ stands before what is no name of a robot.
inline std::string identifier(std::string name) {
  for (char& c : name)
    if (!is_identifier({'_', c})) c = '_';
  return is_identifier(name) && name[0] != '_' && !is_system_header(name) ? name : "robot_" + name;
}

}}}  // namespace corio::codegen
