// Reports to the backend's service log, as the job's user or as root.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "common/ids.h"
#include "common/service_log/service_log_reporter.h"
#include "slurm-hooks/agent/control/backend_connection.h"

namespace carme::agent {

// One call with a new credential; blocks for `timeout` at most. The errors of
// AgentService.ReportLog.
absl::Status SendLogReport(BackendConnection* connection,
                           carme::v1::ReportLogRequest request,
                           absl::Duration timeout);

// The same for AgentService.ReportVetRun.
absl::Status SendVetRun(BackendConnection* connection,
                        carme::v1::ReportVetRunRequest request,
                        absl::Duration timeout);

// The same for AgentService.GetVetRequest.
absl::StatusOr<bool> IsVetRequested(BackendConnection* connection,
                                    const std::string& node,
                                    absl::Duration timeout);

// Sends the warnings and errors of the job's agent until it is destroyed.
// `request_id` may be empty. Fails with the errors of BackendConnection.
absl::StatusOr<std::unique_ptr<ServiceLogReporter>> ReportAgentLog(
    BackendAddress backend, SlurmJobId job, std::string request_id);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_LOG_REPORTER_H_
