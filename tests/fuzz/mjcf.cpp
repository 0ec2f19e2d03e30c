#include "corio/io/mjcf.hpp"

#include "fuzz/entries.hpp"

void corio::fuzz::mjcf(Bytes bytes) {
  const std::string text = text_of(bytes);
  // Texts that name other files are skipped, because the input has no other files.
  if (text.find("include") != text.npos || text.find("file") != text.npos) return;
  try {
    exercise(corio::mjcf::parse(text));
  } catch (const Error&) {
  }
}
