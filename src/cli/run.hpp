// The command line as a function, so that tests can call it.
#pragma once

#include <ostream>

namespace frond::cli {

// Runs one command. What it says goes to `out`, complaints to `err`; `serve` logs to standard output. Returns the exit
// code of the process: see server/serve.hpp.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace frond::cli
