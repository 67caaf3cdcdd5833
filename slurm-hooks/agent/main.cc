// carme-agent: runs as the user in the Slurm job, started by a constant batch
// script. See ../README.md.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "common/clock.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/agent.h"
#include "slurm-hooks/agent/control/log_reporter.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/messages.h"
#include "slurm-hooks/node_config.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kReportTimeout = absl::Seconds(30);

absl::StatusOr<SlurmJobId> ReadSlurmJobId() {
  const char* text = std::getenv("SLURM_JOB_ID");
  uint32_t id = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &id) || id == 0) {
    return MakePlainError(agent_messages::kNotInAJob,
                          {{"value", text == nullptr ? "" : text}});
  }
  return SlurmJobId(id);
}

// Reports the reason to the backend, so that the user sees it, not only the log
// on the node.
absl::Status Refuse(const absl::Status& why, AgentServiceClient* client) {
  client->Report("", carme::v1::APP_STATE_ENDED, TextOfStatus(why));
  if (!client->Drain(kReportTimeout)) {
    LogWarning("end of the job not reported");
  }
  return why;
}

// A reason from the Prolog is more specific than the directory that is missing
// because of it.
absl::StatusOr<JobFacts> ReadFacts(const NodeConfig& config, SlurmJobId job) {
  const std::string reason = ReadPrologFailure(config.runtime_directory, job);
  if (!reason.empty()) return absl::FailedPreconditionError(reason);
  return ReadJobFacts(config, job);
}

absl::StatusOr<int> Serve(const NodeConfig& config,
                          const std::string& config_path) {
  ASSIGN_OR_RETURN(const SlurmJobId job, ReadSlurmJobId());
  absl::StatusOr<JobFacts> facts = ReadFacts(config, job);
  if (facts.ok()) facts->config_path = config_path;
  // No core file with the key, and no debugger of the same user.
  prctl(PR_SET_DUMPABLE, 0);
  // gRPC's fork handlers would run between fork and exec. Errors in its log are
  // also in the status. Apps get neither variable.
  setenv("GRPC_ENABLE_FORK_SUPPORT", "0", 1);
  setenv("GRPC_VERBOSITY", "NONE", 1);
  const BackendAddress backend = {.address = config.backend,
                                  .name = config.backend_name,
                                  .ca_file = config.ca};
  ASSIGN_OR_RETURN(auto client,
                   AgentServiceClient::Open({.backend = backend, .job = job}));
  ASSIGN_OR_RETURN(const auto logs,
                   ReportAgentLog(backend, job, ReadRequestId()));
  if (!facts.ok()) return Refuse(facts.status(), client.get());
  ASSIGN_OR_RETURN(KeyAndRequest key, NewCertificateRequest());
  ASSIGN_OR_RETURN(const net::Address node,
                   net::Address::FromIp(facts->address, 0));
  ASSIGN_OR_RETURN(NodeListener listener,
                   BindInRange(node, config.port_first, config.port_last));
  LogInfo("agent started", {{"slurm_job", job.value()},
                            {"address", node.Ip()},
                            {"port", listener.port}});
  const SystemClock clock;
  ASSIGN_OR_RETURN(
      const auto agent,
      Agent::Create(*std::move(facts), std::move(key), std::move(listener),
                    std::move(client), clock));
  return agent->Run();
}

}  // namespace
}  // namespace carme::agent

int main(int argc, char** argv) {
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, carme::kNodeConfigPath,
                        "Runs in a Carme job: starts its apps and accepts "
                        "connections of the proxy.");
  const auto config = carme::LoadNodeConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  // The job's log also contains the output of its programs.
  carme::MarkLogLines(carme::agent::kAgentLogName);
  carme::MarkLogLinesOfRequest(carme::agent::ReadRequestId());
  signal(SIGPIPE, SIG_IGN);
  carme::node::BlockSignals({SIGTERM, SIGINT, SIGCHLD, SIGUSR1});
  const auto exit_code = carme::agent::Serve(*config, flags.config_path);
  return exit_code.ok() ? *exit_code : carme::FailStart(exit_code.status());
}
