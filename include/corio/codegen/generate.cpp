// The program corio_generate: code of functions for one robot, compared with the templates before it is written.

#include "corio/codegen/program.hpp"

int main(int argc, char** argv) { return corio::codegen::generate({argv + 1, argv + argc}, std::cout, std::cerr); }
