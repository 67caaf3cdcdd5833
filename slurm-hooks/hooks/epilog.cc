// Epilog of Slurm: ends remaining processes of a Carme job and removes its
// directories.
#include <cstdlib>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/hook_report/report_spool.h"
#include "slurm-hooks/hooks/guarded_run.h"
#include "slurm-hooks/hooks/hook_job.h"
#include "slurm-hooks/hooks/job_processes.h"
#include "slurm-hooks/hooks/job_storage.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/node_config.h"

namespace {

constexpr char kName[] = "carme-epilog";
// Well below usual values of PrologEpilogTimeout.
constexpr absl::Duration kLimit = absl::Seconds(20);
constexpr absl::Duration kForRemoval = absl::Seconds(15);
constexpr absl::Duration kForProcesses = absl::Seconds(5);

absl::Status StopStorage(const std::string& config_path) {
  ASSIGN_OR_RETURN(const carme::NodeConfig config,
                   carme::LoadNodeConfig(config_path));
  ASSIGN_OR_RETURN(const auto job, carme::hooks::ReadHookJob(config.feature));
  return carme::hooks::StopJobStorage(config.job_storage, *job);
}

absl::Status CleanUp(const std::string& config_path, bool* is_carme_job,
                     bool* wants_storage) {
  ASSIGN_OR_RETURN(const carme::NodeConfig config,
                   carme::LoadNodeConfig(config_path));
  ASSIGN_OR_RETURN(const auto job, carme::hooks::ReadHookJob(config.feature));
  if (!job.has_value()) return absl::OkStatus();
  *is_carme_job = true;
  *wants_storage = !config.job_storage.start.empty();
  const absl::Time deadline = absl::Now() + kForRemoval;
  // First end processes that could still write.
  const char* const node = std::getenv("SLURMD_NODENAME");
  absl::Status all = carme::hooks::EndJobProcesses(
      *job, node == nullptr ? "" : node, absl::Now() + kForProcesses);
  // A failure with one directory does not affect the other.
  for (const std::string& path : carme::JobDirectories(config)) {
    const auto jobs =
        carme::hooks::OpenJobsDirectory(path, carme::hooks::IfMissing::kFail);
    if (absl::IsNotFound(jobs.status())) continue;
    all.Update(jobs.ok() ? carme::hooks::RemoveJobDirectory(jobs->get(), *job,
                                                            deadline)
                         : jobs.status());
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, carme::kNodeConfigPath,
      "Epilog of Slurm: ends remaining processes of a Carme job and "
      "removes its directories.");
  if (flags.check_only) {
    const auto config = carme::LoadNodeConfig(flags.config_path);
    return config.ok() ? 0 : carme::FailStart(config.status());
  }
  if (!carme::hooks::HasConstraints()) return 0;
  bool* const is_carme_job = carme::hooks::SharedBool();
  bool* const wants_storage = carme::hooks::SharedBool();
  carme::hooks::RunGuarded(kName, kLimit, [&] {
    return CleanUp(flags.config_path, is_carme_job, wants_storage);
  });
  if (*wants_storage) {
    carme::hooks::RunGuarded(kName, carme::hooks::kStorageLimit,
                             [&] { return StopStorage(flags.config_path); });
  }
  return carme::hooks::ReportFailure(kName, flags.config_path, *is_carme_job);
}
