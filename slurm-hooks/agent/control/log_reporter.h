// Sends the warnings and errors of this process to the backend's service log.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "common/ids.h"
#include "slurm-hooks/agent/control/backend_connection.h"

namespace carme::agent {

// One call with a new credential; blocks for `timeout` at most. The errors of
// AgentService.ReportLog.
absl::Status SendLogReport(BackendConnection* connection,
                           carme::v1::ReportLogRequest request,
                           absl::Duration timeout);

// Observes the log (SetLogObserver) until it is destroyed. Logging never waits:
// of lines that cannot be sent at most 100 are kept, and the others counted.
class LogReporter {
 public:
  // `request_id` may be empty. Fails with the errors of BackendConnection.
  static absl::StatusOr<std::unique_ptr<LogReporter>> Open(
      BackendAddress backend, SlurmJobId job, std::string request_id);
  // Sends what is left, for three seconds at most.
  ~LogReporter();

 private:
  struct State;
  explicit LogReporter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_
