#include "slurm-hooks/cli/process_context.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "common/status.h"

namespace carme {

absl::StatusOr<EdfContext> EdfContextOfProcess() {
  EdfContext context;
  context.files = RealEdfFiles();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    // the first of two counts, as for getenv(3)
    context.variables.emplace(variable.substr(0, equals),
                              variable.substr(equals + 1));
  }
  char cwd[PATH_MAX];
  if (getcwd(cwd, sizeof cwd) == nullptr) {
    return ErrnoError(errno, "find the current directory");
  }
  context.cwd = cwd;
  return context;
}

}  // namespace carme
