#pragma once

#include <string>

#include "corio/core/error.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A note on questionable input that was accepted: moments of inertia that no body can have, a joint that moves no
/// inertia, an unknown element of a file. See Model::notes().
struct Note {
  std::string element;  // the element in words, such as "link 'hand'"
  int line = 0;         // the line of the file; 0 if there is no file
  std::string found;    // the questionable part, in words
  std::string advice;   // the right form, or the remedy that was applied
};

/// "line 12: link 'hand': found; advice", in one line.
inline std::string to_string(const Note& note) {
  return detail::join({note.line > 0 ? detail::join({"line ", detail::Digits(note.line), ": "}) : "", note.element,
                       ": ", note.found, note.advice.empty() ? "" : "; ", note.advice});
}

}}  // namespace corio
