// From the name of an environment to its file.
#ifndef CARME_COMMON_EDF_SEARCH_H_
#define CARME_COMMON_EDF_SEARCH_H_

#include <optional>
#include <string>
#include <vector>

#include "common/edf/expansion.h"
#include "common/edf/files.h"
#include "common/edf/problem.h"

namespace carme {

// What a user's command stands in. Nothing is taken from the process.
struct EdfContext {
  EdfFiles files;
  EdfVariables variables;  // of the host
  std::string cwd;         // absolute; relative paths start here
  std::vector<std::string> system_directories = {"/etc/edf"};
};

// What begins with "/" or "." or ends with ".toml" is a path. Any other name
// is NAME.toml in the first directory that has it: those of EDF_PATH, a colon
// list, or else $HOME/.edf; then the system's. Nothing, and a problem: 6 it is
// not there, 9 EDF_PATH, 20 to 22 a path that names no .toml file.
std::optional<std::string> FindEdf(const EdfText& name,
                                   const EdfContext& context,
                                   EdfProblems* problems);

}  // namespace carme

#endif  // CARME_COMMON_EDF_SEARCH_H_
