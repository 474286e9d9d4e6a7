#include "cli/run.hpp"

#include <iostream>

int main(int argc, char** argv) { return frond::cli::run(argc, argv, std::cout, std::cerr); }
