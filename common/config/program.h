// The beginning of each program's main(): flags, error messages, and signals.
#ifndef CARME_COMMON_CONFIG_PROGRAM_H_
#define CARME_COMMON_CONFIG_PROGRAM_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme {

struct ProgramFlags {
  std::string config_path;
  bool check_only = false;    // --check-config
  bool health_check = false;  // --health-check
};

// Whether a program has --health-check (common/monitoring/health_check.h).
enum class HealthCheckFlag { kNone, kOffered };

// Parses `--config FILE`, `--check-config`, `--health-check` if it is offered,
// `--version` and `--help`. Ends the process after --version and --help (status
// 0) and after a usage error (2). `about` is one sentence for --help,
// `libraries` a further line of --version. Calls OpenJournal() of
// common/journal.h.
ProgramFlags ParseFlags(int argc, char** argv, std::string_view default_config,
                        std::string_view about,
                        const std::string& libraries = "",
                        HealthCheckFlag health_check = HealthCheckFlag::kNone);

// Writes each line of the message as `PROGRAM: line` to stderr. Returns 1, or
// 78 (EX_CONFIG) if IsNotConfigured(): the units do not restart a program that
// ended with it.
int FailStart(const absl::Status& status);

// Blocks SIGTERM and SIGINT in this thread and the threads that it starts, and
// ignores SIGPIPE. Call it before the first thread.
void BlockStopSignals();
// Waits for SIGTERM or SIGINT and returns its number. REQUIRES:
// BlockStopSignals().
int WaitForStopSignal();
// The same for at most `timeout`; 0: no signal.
int WaitForStopSignal(absl::Duration timeout);

}  // namespace carme

#endif  // CARME_COMMON_CONFIG_PROGRAM_H_
