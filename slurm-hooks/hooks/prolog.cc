// Prolog of Slurm: creates the directories of a Carme job.
#include <limits.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/hook_report/report_spool.h"
#include "slurm-hooks/hooks/guarded_run.h"
#include "slurm-hooks/hooks/hook_job.h"
#include "slurm-hooks/hooks/job_storage.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/hooks/program_run.h"
#include "slurm-hooks/node_config.h"

namespace {

constexpr char kName[] = "carme-prolog";
// Well below usual values of PrologEpilogTimeout.
constexpr absl::Duration kLimit = absl::Seconds(20);
constexpr absl::Duration kForRemoval = absl::Seconds(15);
// More than the longest time limit of [vet].
constexpr absl::Duration kVetLimit = absl::Seconds(70);

absl::Status MakeDirectories(const carme::NodeConfig& config,
                             const carme::hooks::HookJob& job) {
  const absl::Time deadline = absl::Now() + kForRemoval;
  for (const std::string& path : carme::JobDirectories(config)) {
    ASSIGN_OR_RETURN(
        const carme::UniqueFd jobs,
        carme::hooks::OpenJobsDirectory(path, carme::hooks::IfMissing::kMake));
    RETURN_IF_ERROR(
        path == config.scratch_directory
            ? carme::hooks::MakeJobDirectory(jobs.get(), job,
                                             config.scratch_limit_gib, deadline)
            : carme::hooks::MakeRuntimeDirectory(jobs.get(), job, deadline));
  }
  return absl::OkStatus();
}

// If this fails, too, the agent reports a generic reason.
void Explain(const carme::NodeConfig& config, const carme::hooks::HookJob& job,
             const absl::Status& why) {
  const auto jobs = carme::hooks::OpenJobsDirectory(
      config.runtime_directory, carme::hooks::IfMissing::kFail);
  if (!jobs.ok()) return;
  carme::hooks::WriteFailureReason(jobs->get(), job, std::string(why.message()))
      .IgnoreError();
}

absl::Status Prepare(const std::string& config_path, bool* is_carme_job,
                     bool* wants_storage, bool* wants_vet) {
  ASSIGN_OR_RETURN(const carme::NodeConfig config,
                   carme::LoadNodeConfig(config_path));
  ASSIGN_OR_RETURN(const auto job, carme::hooks::ReadHookJob(config.feature));
  if (!job.has_value()) return absl::OkStatus();
  *is_carme_job = true;
  const absl::Status made = MakeDirectories(config, *job);
  if (!made.ok()) Explain(config, *job, made);
  *wants_vet = config.vet.in_prolog;
  *wants_storage = made.ok() && !config.job_storage.start.empty();
  return made;
}

// The program lies beside this one.
std::string VetPath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, length > 0 ? static_cast<size_t>(length) : 0);
  return own.substr(0, own.rfind('/') + 1) + "carme-vet";
}

// A failed evaluation is reported, and is no failure of the hook.
absl::Status VetNode(const std::string& config_path) {
  ASSIGN_OR_RETURN(const carme::NodeConfig config,
                   carme::LoadNodeConfig(config_path));
  ASSIGN_OR_RETURN(const auto job, carme::hooks::ReadHookJob(config.feature));
  const char* const node = std::getenv("SLURMD_NODENAME");
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin"};
  if (node != nullptr) {
    environment.push_back(absl::StrCat("SLURMD_NODENAME=", node));
  }
  // Evaluations end before the program is killed, so that they are reported.
  const absl::Duration each = config.vet.time_limit / 2;
  return carme::hooks::RunProgram(
      {VetPath(), "--config", config.vet.config, "--timeout",
       absl::StrCat(absl::ToDoubleSeconds(each)), "--prolog-job",
       absl::StrCat(job->id.value()), "--node-config", config_path},
      environment, absl::Now() + config.vet.time_limit);
}

absl::Status StartStorage(const std::string& config_path) {
  ASSIGN_OR_RETURN(const carme::NodeConfig config,
                   carme::LoadNodeConfig(config_path));
  ASSIGN_OR_RETURN(const auto job, carme::hooks::ReadHookJob(config.feature));
  const absl::Status started =
      carme::hooks::StartJobStorage(config.job_storage, *job);
  if (!started.ok()) Explain(config, *job, started);
  return started;
}

}  // namespace

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, carme::kNodeConfigPath,
      "Prolog of Slurm: creates the directories of a Carme job.");
  if (flags.check_only) {
    const auto config = carme::LoadNodeConfig(flags.config_path);
    return config.ok() ? 0 : carme::FailStart(config.status());
  }
  if (!carme::hooks::HasConstraints()) return 0;
  bool* const is_carme_job = carme::hooks::SharedBool();
  bool* const wants_storage = carme::hooks::SharedBool();
  bool* const wants_vet = carme::hooks::SharedBool();
  carme::hooks::RunGuarded(kName, kLimit, [&] {
    return Prepare(flags.config_path, is_carme_job, wants_storage, wants_vet);
  });
  if (*wants_vet) {
    carme::hooks::RunGuarded(kName, kVetLimit,
                             [&] { return VetNode(flags.config_path); });
  }
  if (*wants_storage) {
    carme::hooks::RunGuarded(kName, carme::hooks::kStorageLimit,
                             [&] { return StartStorage(flags.config_path); });
  }
  return carme::hooks::ReportFailure(kName, flags.config_path, *is_carme_job);
}
