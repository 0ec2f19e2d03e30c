#pragma once

#include <string_view>

#include "corio/codegen/recording.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// Whether NAME.h is a header of C or POSIX, which a robot of this name would hide; in letters of any case, as file
/// systems may not tell them apart.
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

/// A name made an identifier of C: every other byte becomes _, and robot_ is put before a header, digit or _.
inline std::string identifier(std::string name) {
  for (char& c : name)
    if (!is_identifier({'_', c})) c = '_';
  return is_identifier(name) && name[0] != '_' && !is_system_header(name) ? name : "robot_" + name;
}

/// The language and scalar of generated code.
struct Language {
  bool cuda = false;
  bool single_precision = false;
  int lanes = 1;        ///< of C: states in one vector of the compiler
  bool python = false;  ///< of code without lanes: also a module for Python
};

/// How code is cut, as measured on an H200 and with GCC 12. Short code is fastest in one piece, and so is longer code
/// over float that writes results all along. Over double CUDA's assembler stops allocating registers well beyond 9000
/// operations or 400 values alive. The time of GCC grows with the square of the length.
inline Cut cut_for(const Recording& f, const Language& language) {
  const Schedule whole = f.schedule();
  if (!language.cuda) return whole.operations > 3000 ? Cut{1000, 0} : Cut{};
  if (!language.single_precision) return whole.operations > 9000 || whole.alive > 400 ? Cut{3000, 24} : Cut{};
  if (whole.operations <= 9000 || 20 * f.num_outputs() >= whole.operations) return {};
  return {3000, whole.operations < 20000 ? 60 : 24};
}

/// For CUDA: blocks per multiprocessor, as measured on an H200. Each thread has 65536 / (64 blocks) registers. Code
/// longer than the instruction cache waits for its instructions, which more threads hide.
inline int blocks_at_once(const Recording& f, const Schedule& s, const Language& language) {
  if (!language.single_precision) return 4;
  const int length = s.operations + 2 * f.num_outputs();
  if (length > 9000) return s.pieces.size() > 1 || s.alive <= 256 ? 8 : 4;
  if (length > 5000) return 4;
  return s.alive <= 140 ? 8 : s.alive <= 220 ? 6 : 4;
}

/// For CUDA: how results become rows. 0: each thread writes its own, which is best for few of them. 1: a block gathers
/// its rows in shared memory, 48 kB at most. 2: it gathers tiles of them, one after the other, see detail::Tiles.
inline int way_of_rows(const Recording& f, const Language& language) {
  const int bytes = 64 * (f.num_outputs() | 1) * (language.single_precision ? 4 : 8);
  return f.num_outputs() <= 16 ? 0 : bytes <= 49152 ? 1 : 2;
}

namespace detail {

/// The results of rows that do not fit shared memory, in the order in which a thread computes them, cut into tiles of
/// half of 48 kB, so that several blocks find room. In a tile they are sorted: neighbours in a row are written
/// together.
struct Tiles {
  int length;              // results of a tile; the last one may have fewer
  std::vector<int> order;  // their numbers

  Tiles(const Schedule& s, const Language& language) : length(24576 / (language.single_precision ? 4 : 8) / 65) {
    for (const Schedule::Line& line : s.lines)
      if (line.kind == Schedule::Line::result) order.push_back(line.place);
    for (int k = 0; k < std::ssize(order); k += length) std::sort(order.begin() + k, order.begin() + end_of(k));
  }
  /// Of the tile with the result that is computed as the k-th one.
  int begin_of(int k) const { return k / length * length; }
  int end_of(int k) const { return (std::min)(begin_of(k) + length, static_cast<int>(order.size())); }
};

}  // namespace detail
}}}  // namespace corio::codegen
