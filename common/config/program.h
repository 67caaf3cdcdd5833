// What every program's main() begins with: the four flags, and an end that is
// one line on stderr.
#ifndef CARME_COMMON_CONFIG_PROGRAM_H_
#define CARME_COMMON_CONFIG_PROGRAM_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme {

struct ProgramFlags {
  std::string config_path;
  bool check_only = false;  // --check-config
};

// Reads `--config FILE`, `--check-config`, `--version`, `--help` and nothing
// else. Ends the process after --version and --help (0) and on a wrong use
// (2). `about` is one sentence for --help.
ProgramFlags ParseFlags(int argc, char** argv, std::string_view default_config,
                        std::string_view about);

// `PROGRAM: message` on stderr, each line of it; returns 1.
int FailStart(const absl::Status& status);

// Blocks SIGTERM and SIGINT in this thread and those it starts, and SIGPIPE
// everywhere. Call before the first thread.
void BlockStopSignals();
// Waits for SIGTERM or SIGINT; returns its number. After BlockStopSignals().
int WaitForStopSignal();
// The same for at most `timeout`; 0 when none came.
int WaitForStopSignal(absl::Duration timeout);

}  // namespace carme

#endif  // CARME_COMMON_CONFIG_PROGRAM_H_
