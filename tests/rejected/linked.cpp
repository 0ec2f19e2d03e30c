// This is one of the two files of a program.
#include <corio/core/abi.hpp>

#ifdef CORIO_TEST_MAIN
int main() {}
#endif
