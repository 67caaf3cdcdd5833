// fanout_agent --config FILE: stands in for a job's agent, as whose program
// Slurm runs it. Registers as one does, with the agent's own way to the
// backend; then reports every two seconds, on the second and so all of them at
// once, that its app is ready, with the time of the report.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/pki/certificate_request.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/agent_service_client.h"
#include "slurm-hooks/node_config.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kEvery = absl::Seconds(2);

absl::Status Run(const std::string& config_path) {
  ASSIGN_OR_RETURN(const NodeConfig config, LoadNodeConfig(config_path));
  const char* text = std::getenv("SLURM_JOB_ID");
  uint32_t id = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &id)) {
    return absl::FailedPreconditionError("SLURM_JOB_ID is not set");
  }
  ASSIGN_OR_RETURN(const KeyAndRequest key, NewCertificateRequest());
  ASSIGN_OR_RETURN(
      const auto link,
      AgentServiceClient::Open({.backend = {.address = config.backend,
                                            .name = config.backend_name,
                                            .ca_file = config.ca},
                                .job = SlurmJobId(id)}));
  absl::Notification registered;
  absl::StatusOr<v1::RegisterResponse> answer;
  link->Register(key.csr_pem, static_cast<uint16_t>(config.port_first),
                 [&](absl::StatusOr<v1::RegisterResponse> given) {
                   answer = std::move(given);
                   registered.Notify();
                 });
  registered.WaitForNotification();
  RETURN_IF_ERROR(answer.status());
  while (true) {
    absl::SleepFor(kEvery - (absl::Now() - absl::UnixEpoch()) % kEvery);
    link->Report(answer->app(), v1::APP_STATE_READY,
                 absl::StrCat("said at ", absl::ToUnixMicros(absl::Now())));
  }
}

}  // namespace
}  // namespace carme::agent

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--config") {
    std::fprintf(stderr, "usage: tests/bench/run fanout\n");
    return 2;
  }
  const absl::Status ended = carme::agent::Run(argv[2]);
  std::fprintf(stderr, "fanout_agent: %s\n", ended.ToString().c_str());
  return 1;
}
