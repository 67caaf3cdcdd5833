#include "backend/wiring/startup_checks.h"

#include <sys/stat.h>
#include <unistd.h>

#include "backend/store/private_directory.h"
#include "common/status.h"

namespace carme::backend {

absl::Status PrepareEnvironment(const std::string& state_directory) {
  if (geteuid() == 0) {
    return absl::FailedPreconditionError(
        "runs as root; use a dedicated user, such as carme");
  }
  umask(0077);
  absl::Status checked = CheckPrivateDirectory(state_directory, geteuid());
  if (checked.ok()) checked = CheckFileOwners(state_directory, geteuid());
  return Annotate(checked, "state.directory");
}

}  // namespace carme::backend
