// carme-hook-report: sends failures of Prolog and Epilog, and root's runs of
// `carme vet`, to the backend, which shows them to administrators. A hook
// starts it and does not wait for it.
//
// With --vet-run first, it reads such a run from standard input, as carme-vet
// writes it: as root it keeps the run and sends it in the background; as
// another user it sends the run once, as of the user's job. With
// --vet-requested and the node's name first, it asks the backend whether root
// should vet the node: exit code 0, or kVetNotRequested.
#include <fcntl.h>
#include <sys/file.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/clock.h"
#include "common/config/program.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/control/backend_connection.h"
#include "slurm-hooks/agent/control/log_reporter.h"
#include "slurm-hooks/hook_report/exit_code.h"
#include "slurm-hooks/hook_report/report_spool.h"
#include "slurm-hooks/node_config.h"

namespace carme::hook_report {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(10);
constexpr absl::Duration kFirstPause = absl::Seconds(2);
constexpr absl::Duration kMaxPause = absl::Minutes(1);
// Afterwards the next hook starts another process.
constexpr absl::Duration kGiveUpAfter = absl::Minutes(10);

bool IsRefused(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status) ||
         absl::IsNotFound(status);
}

// The failures of one node, which is this one; several slurmd can run on a
// host.
absl::Status SendAll(const NodeConfig& config,
                     agent::BackendConnection* connection, bool* is_empty) {
  ASSIGN_OR_RETURN(const std::vector<hooks::SpooledFailure> waiting,
                   hooks::ReadSpool(config.report_directory));
  *is_empty = waiting.empty();
  if (waiting.empty()) return absl::OkStatus();
  v1::ReportLogRequest request;
  request.set_node(waiting[0].failure.node);
  std::vector<std::string> sent;
  for (const hooks::SpooledFailure& spooled : waiting) {
    if (spooled.failure.node != request.node()) continue;
    v1::ReportedLogLine* const line = request.add_lines();
    line->set_severity(v1::LOG_SEVERITY_ERROR);
    line->set_service(spooled.failure.service);
    line->set_slurm_job_id(spooled.failure.slurm_job);
    line->set_message(spooled.failure.text);
    sent.push_back(spooled.name);
  }
  const absl::Status status =
      agent::SendLogReport(connection, request, kCallTimeout);
  const bool refused = IsRefused(status);
  if (!status.ok() && !refused) return status;
  if (refused) {
    // The hooks have logged the failures themselves.
    syslog(LOG_ERR, "the backend refuses failures of hooks: %s",
           std::string(status.message()).c_str());
  }
  for (const std::string& name : sent) {
    RETURN_IF_ERROR(hooks::RemoveFromSpool(config.report_directory, name));
  }
  return absl::OkStatus();
}

absl::Status SendVetRuns(const NodeConfig& config,
                         agent::BackendConnection* connection, bool* is_empty) {
  ASSIGN_OR_RETURN(const std::vector<hooks::SpooledVetRun> runs,
                   hooks::ReadVetRuns(config.report_directory));
  *is_empty = runs.empty();
  for (const hooks::SpooledVetRun& run : runs) {
    v1::ReportVetRunRequest request;
    const bool is_readable = request.ParseFromString(run.bytes);
    const absl::Status status =
        is_readable ? agent::SendVetRun(connection, request, kCallTimeout)
                    : absl::InvalidArgumentError("not readable");
    if (!status.ok() && !IsRefused(status)) return status;
    if (!status.ok()) {
      syslog(LOG_ERR, "the backend refuses a run of carme vet: %s",
             std::string(status.message()).c_str());
    }
    RETURN_IF_ERROR(hooks::RemoveFromSpool(config.report_directory, run.name));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<agent::BackendConnection>> OpenBackend(
    const NodeConfig& config) {
  return agent::BackendConnection::Open({.address = config.backend,
                                         .name = config.backend_name,
                                         .ca_file = config.ca});
}

absl::Status TakeVetRun(const NodeConfig& config,
                        const std::string& config_path) {
  std::string bytes(hooks::kMaxVetRunBytes + 1, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), stdin));
  v1::ReportVetRunRequest request;
  if (bytes.size() > hooks::kMaxVetRunBytes ||
      !request.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(
        "standard input has no report of carme vet");
  }
  if (geteuid() == 0) {
    RETURN_IF_ERROR(hooks::WriteVetRunToSpool(config.report_directory, bytes));
    hooks::StartSender(config_path);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<agent::BackendConnection> connection,
                   OpenBackend(config));
  return agent::SendVetRun(connection.get(), request, kCallTimeout);
}

absl::StatusOr<bool> AskForVetRequest(const NodeConfig& config,
                                      const std::string& node) {
  ASSIGN_OR_RETURN(const std::unique_ptr<agent::BackendConnection> connection,
                   OpenBackend(config));
  return agent::IsVetRequested(connection.get(), node, kCallTimeout);
}

absl::Status Run(const NodeConfig& config) {
  const UniqueFd lock(open(config.report_directory.c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return ErrnoError(errno, config.report_directory);
  // Another process sends already.
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::unique_ptr<agent::BackendConnection> connection,
                   OpenBackend(config));
  const absl::Time latest = absl::Now() + kGiveUpAfter;
  absl::Duration pause = kFirstPause;
  while (true) {
    bool has_no_failures = false;
    bool has_no_runs = false;
    absl::Status status = SendAll(config, connection.get(), &has_no_failures);
    if (status.ok()) {
      status = SendVetRuns(config, connection.get(), &has_no_runs);
    }
    if (has_no_failures && has_no_runs) return absl::OkStatus();
    if (status.ok()) continue;
    if (absl::Now() + pause > latest) return status;
    absl::SleepFor(pause);
    pause = std::min(pause * 2, kMaxPause);
  }
}

}  // namespace
}  // namespace carme::hook_report

int main(int argc, char** argv) {
  const bool takes_vet_run =
      argc > 1 && std::string_view(argv[1]) == "--vet-run";
  const bool asks_for_request =
      argc > 2 && std::string_view(argv[1]) == "--vet-requested";
  const std::string node = asks_for_request ? argv[2] : "";
  if (takes_vet_run || asks_for_request) {
    const int taken = asks_for_request ? 2 : 1;
    argv[taken] = argv[0];
    argv += taken;
    argc -= taken;
  }
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, carme::kNodeConfigPath,
                        "Sends failures of Prolog and Epilog to the backend.");
  const auto config = carme::LoadNodeConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  if (takes_vet_run) {
    const absl::Status taken =
        carme::hook_report::TakeVetRun(*config, flags.config_path);
    return taken.ok() ? 0 : carme::FailStart(taken);
  }
  if (asks_for_request) {
    const auto requested = carme::hook_report::AskForVetRequest(*config, node);
    if (!requested.ok()) return carme::FailStart(requested.status());
    return *requested ? 0 : carme::hook_report::kVetNotRequested;
  }
  openlog("carme-hook-report", LOG_PID, LOG_DAEMON);
  const absl::Status status = carme::hook_report::Run(*config);
  if (status.ok()) return 0;
  syslog(LOG_WARNING, "failures of hooks not sent yet: %s",
         std::string(status.message()).c_str());
  return carme::FailStart(status);
}
