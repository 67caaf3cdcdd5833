// Finds the file of an environment by its name.
#ifndef CARME_COMMON_EDF_SEARCH_H_
#define CARME_COMMON_EDF_SEARCH_H_

#include <optional>
#include <string>
#include <vector>

#include "common/edf/expansion.h"
#include "common/edf/files.h"
#include "common/edf/problem.h"

namespace carme {

// The context of a user's command. The process's own context is not used.
struct EdfContext {
  EdfFiles files;
  EdfVariables variables;  // of the host
  std::string cwd;         // absolute; relative paths start here
  std::vector<std::string> system_directories = {"/etc/edf"};
};

// A name that begins with "/" or "." or ends with ".toml" is a path. Any other
// name is NAME.toml in the first directory that has it: those of EDF_PATH,
// separated by colons, or else $HOME/.edf; then the system's. nullopt, with a
// problem: 6 not found, 9 EDF_PATH, 20 to 22 a path that is not a .toml file.
std::optional<std::string> FindEdf(const EdfText& name,
                                   const EdfContext& context,
                                   EdfProblems* problems);

}  // namespace carme

#endif  // CARME_COMMON_EDF_SEARCH_H_
