#pragma once

#include <string_view>

#include "corio/codegen/recording.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

namespace detail {

/// Returns whether a name is in a list of words between blanks.
inline bool is_listed(const std::string& name, std::string_view list) {
  return list.find(" " + name + " ") != list.npos;
}
inline std::string lower_case(std::string name) {
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return name;
}
inline constexpr std::string_view python_keywords =
    " False None True and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield ";
/// Names in the text of modules for Python.
inline constexpr std::string_view python_globals =
    " _address _call _checked _function _functions _gradients _layout _library _load _shaped _source __builtins__ "
    "__file__ __name__ ImportError NameError OSError RuntimeError TypeError ValueError any ctypes enumerate "
    "float functools getattr globals hasattr importlib int isinstance len list map math next np open os range "
    "shlex shutil staticmethod str subprocess sum sys tempfile tuple zip ";
inline bool is_python_word(const std::string& name) {
  return is_listed(name, python_keywords) || is_listed(name, python_globals);
}

}  // namespace detail

/// Returns whether NAME.h is a header of C or POSIX, which a robot of this name would hide. The case of letters does
/// not count, since file systems may ignore it.
inline bool is_system_header(const std::string& name) {
  return detail::is_listed(
      detail::lower_case(name),
      " aio assert complex cpio ctype dirent dlfcn endian errno fcntl features fenv float fmtmsg fnmatch ftw getopt "
      "glob grp iconv inttypes io iso646 langinfo libgen limits link locale malloc math memory monetary mqueue ndbm "
      "netdb nl_types poll process pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg "
      "stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar "
      "termios tgmath threads time trace uchar ucontext ulimit unistd utime utmpx values wchar wctype windows "
      "wordexp ");
}

/// Returns whether NAME.py could not be imported, or would hide a module of Python or one that it imports itself.
inline bool is_python_module(const std::string& name) {
  return detail::is_listed(name, detail::python_keywords) ||
         detail::is_listed(
             detail::lower_case(name),
             " abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb "
             "binascii bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections "
             "colorsys compileall concurrent configparser contextlib contextvars copy copyreg cprofile crypt "
             "csv ctypes cupy curses dataclasses datetime dbm decimal difflib dis distutils doctest email "
             "encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib "
             "functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html "
             "http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 "
             "linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib "
             "msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers numpy opcode operator "
             "optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib "
             "posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue "
             "quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors "
             "shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile "
             "sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable "
             "sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time "
             "timeit tkinter token tokenize tomllib torch trace traceback tracemalloc tty turtle turtledemo "
             "types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg "
             "winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ");
}

/// Makes an identifier of C of a name: every other byte becomes _, and robot_ is put before a header, digit or _.
inline std::string identifier(std::string name) {
  for (char& c : name)
    if (!is_identifier({'_', c})) c = '_';
  return is_identifier(name) && name[0] != '_' && !is_system_header(name) ? name : "robot_" + name;
}

/// Converts text of a file, in which names may have any encoding, to UTF-8: other bytes are read as ISO-8859-1.
inline std::string utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    const unsigned first = byte(0), second = byte(1);
    std::size_t size = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first < 0xE0 ? 0 : first < 0xF0 ? 3 : 4;
    const bool is_short = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool is_outside = first > 0xF4 || (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
    for (std::size_t k = 1; k < size; ++k)
      if (byte(k) < 0x80 || byte(k) > 0xBF || is_short || is_outside) size = 0;
    out += size > 0 ? std::string(text.substr(0, size))
                    : std::string{static_cast<char>(0xC0 | first >> 6), static_cast<char>(0x80 | (first & 0x3F))};
    text.remove_prefix((std::max<std::size_t>)(size, 1));
  }
  return out;
}

/// The language and scalar of generated code.
struct Language {
  bool cuda = false;
  bool single_precision = false;
  int lanes = 1;        ///< C: the number of states in one vector of the compiler
  bool python = false;  ///< code without lanes: also writes a module for Python
  bool casadi = false;  ///< C over double without lanes: one file with CasADi's external functions and derivatives
};

/// Returns how code is cut, by measurements on an H200 and with GCC 12. Short code is fastest in one piece, and so is
/// longer code over float that writes results all along. Over double CUDA's assembler stops allocating registers well
/// beyond 9000 operations or 400 values alive. The time of GCC grows with the square of the length.
inline Cut cut_for(const Recording& f, const Language& language) {
  const Schedule whole = f.schedule();
  if (!language.cuda) return whole.operations > 3000 ? Cut{1000, 0, language.casadi} : Cut{};
  if (!language.single_precision) return whole.operations > 9000 || whole.alive > 400 ? Cut{3000, 24} : Cut{};
  if (whole.operations <= 9000 || 20 * f.num_outputs() >= whole.operations) return {};
  return {3000, whole.operations < 20000 ? 60 : 24};
}

/// Returns CUDA's blocks per multiprocessor, by measurements on an H200. Each thread has 65536 / (64 blocks) registers.
/// Code longer than the instruction cache waits for its instructions, which more threads hide.
inline int blocks_at_once(const Recording& f, const Schedule& s, const Language& language) {
  if (!language.single_precision) return 4;
  const int length = s.operations + 2 * f.num_outputs();
  if (length > 9000) return s.pieces.size() > 1 || s.alive <= 256 ? 8 : 4;
  if (length > 5000) return 4;
  return s.alive <= 140 ? 8 : s.alive <= 220 ? 6 : 4;
}

/// Returns how CUDA writes results as rows. 0: each thread writes its own row, which is best for few results. 1: a
/// block gathers its rows in shared memory, 48 kB at most. 2: a block gathers tiles of rows in turn, see detail::Tiles.
inline int way_of_rows(const Recording& f, const Language& language) {
  const int bytes = 64 * (f.num_outputs() | 1) * (language.single_precision ? 4 : 8);
  return f.num_outputs() <= 16 ? 0 : bytes <= 49152 ? 1 : 2;
}

namespace detail {

/// The results of rows that do not fit shared memory, in the order in which a thread computes them, cut into tiles of
/// half of 48 kB, so that several blocks find room. A tile is sorted, so that neighbours in a row are written together.
struct Tiles {
  int length;              // the number of results of a tile; the last tile may have fewer
  std::vector<int> order;  // the indices of the results

  Tiles(const Schedule& s, const Language& language) : length(24576 / (language.single_precision ? 4 : 8) / 65) {
    for (const Schedule::Line& line : s.lines)
      if (line.kind == Schedule::Line::result) order.push_back(line.place);
    for (int k = 0; k < std::ssize(order); k += length) std::sort(order.begin() + k, order.begin() + end_of(k));
  }
  /// Returns where the tile begins that has the k-th computed result; end_of likewise.
  int begin_of(int k) const { return k / length * length; }
  int end_of(int k) const { return (std::min)(begin_of(k) + length, static_cast<int>(order.size())); }
};

}  // namespace detail
}}}  // namespace corio::codegen
