#include <string>

#include "corio/core/detail/file.hpp"

// This program is compiled with an unsigned char, as on ARM and POWER.
int main() {
  const std::string bytes = "a\t \x1F\x7F\x80\xFF";
  return corio::detail::brief(bytes) == "a? ?\x7F\x80\xFF" ? 0 : 1;
}
