// carme-shell: terminals in the browser, as an app of a job; see README.md.
//
//   carme-shell --socket PATH
#include <signal.h>

#include <string_view>

#include "common/config/program.h"
#include "common/status.h"
#include "slurm-hooks/process/children.h"
#include "slurm-hooks/shell/messages.h"
#include "slurm-hooks/shell/server.h"

namespace carme::shell {
namespace {

absl::Status Serve(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--socket") {
    return MakePlainError(shell_messages::kUsage);
  }
  // This process reaps and ends what shells leave behind.
  RETURN_IF_ERROR(node::Children::Adopt());
  const absl::Status served = RunServer(argv[2]);
  node::Children().KillAll();
  return served;
}

}  // namespace
}  // namespace carme::shell

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  const absl::Status served = carme::shell::Serve(argc, argv);
  return served.ok() ? 0 : carme::FailStart(served);
}
