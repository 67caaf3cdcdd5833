// Failures of hooks that wait on the node until carme-hook-report has sent them
// to the backend: small files in a directory of root, at most 64.
#ifndef CARME_SLURM_HOOKS_HOOK_REPORT_REPORT_SPOOL_H_
#define CARME_SLURM_HOOKS_HOOK_REPORT_REPORT_SPOOL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::hooks {

struct HookFailure {
  std::string service;  // "carme-prolog"
  std::string node;     // Slurm's name
  uint32_t slurm_job = 0;
  std::string text;  // one line; cut to 1000 bytes
};

struct SpooledFailure {
  std::string name;  // of the file
  HookFailure failure;
};

// Creates the directory. RESOURCE_EXHAUSTED: 64 failures wait; errors of
// OpenJobsDirectory().
absl::Status WriteToSpool(const std::string& directory,
                          const HookFailure& failure);
// The oldest first; empty also if there is no directory. Removes files that are
// not readable as a failure.
absl::StatusOr<std::vector<SpooledFailure>> ReadSpool(
    const std::string& directory);
absl::Status RemoveFromSpool(const std::string& directory,
                             const std::string& name);

// Runs of vetting that wait, as the sender writes and reads them: any bytes, at
// most kMaxVetRunBytes, and at most 64 files.
inline constexpr size_t kMaxVetRunBytes = size_t{256} * 1024;
struct SpooledVetRun {
  std::string name;  // of the file
  std::string bytes;
};
// The errors of WriteToSpool(); INVALID_ARGUMENT: too large.
absl::Status WriteVetRunToSpool(const std::string& directory,
                                const std::string& bytes);
absl::StatusOr<std::vector<SpooledVetRun>> ReadVetRuns(
    const std::string& directory);

// Starts carme-hook-report, which lies beside this program, without waiting for
// it and without the caller's descriptors. Nothing happens if that fails: the
// next hook starts it again.
void StartSender(const std::string& config_path);

// For the end of a hook: hands the failure of this process (GuardedFailure) and
// those that still wait over to carme-hook-report, in a child with a time
// limit. Nothing to do unless `is_carme_job` or there is a failure. Returns 0,
// as RunGuarded().
int ReportFailure(const char* hook, const std::string& config_path,
                  bool is_carme_job);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOK_REPORT_REPORT_SPOOL_H_
