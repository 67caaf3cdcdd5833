// Lines that agents and hooks report for the service log: decides where each
// comes from, and adds it.
#ifndef CARME_BACKEND_JOBS_AGENTS_LOG_REPORTS_H_
#define CARME_BACKEND_JOBS_AGENTS_LOG_REPORTS_H_

#include <string>

#include "absl/status/status.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/model/job.h"
#include "backend/logs/service_log.h"
#include "backend/node_history/node_history.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/agent.pb.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe.
class LogReports {
 public:
  // All must outlive the object.
  struct Parts {
    ServiceLog* logs;
    Scheduler* scheduler;
    AgentAdmission* admission;
    NodeHistory* history = nullptr;  // null: failures are logged only
  };
  explicit LogReports(const Parts& parts) : parts_(parts) {}

  // Of an agent that was admitted for `job`. INVALID_ARGUMENT.
  absl::Status AddOfAgent(const v1::ReportLogRequest& request, const Job& job);
  // Of hooks. `uid`: proved by MUNGE; `peer_address`: observed.
  // PERMISSION_DENIED: not root, or not on the node that it names; UNAVAILABLE:
  // the name of a node cannot be resolved; INVALID_ARGUMENT. May block for the
  // resolver and for a poll of Slurm.
  absl::Status AddOfHooks(const v1::ReportLogRequest& request, Uid uid,
                          const std::string& peer_address);
  // The failure of an image job.
  void AddImageFailure(const Job& job, const std::string& problem);

 private:
  // Sets the job of a line of row's node. Of a job that is not on that node
  // only Slurm's number is kept. For `wait` see AgentAdmission::JobOnNode.
  void FillJob(uint32_t slurm_job, bool wait, LogRow* row);

  const Parts parts_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_LOG_REPORTS_H_
