// Runs of `carme vet` that are reported from nodes: decides whether they are
// the site's or a user's, and records them. Tells nodes when to vet themselves.
#ifndef CARME_BACKEND_JOBS_AGENTS_VET_REPORTS_H_
#define CARME_BACKEND_JOBS_AGENTS_VET_REPORTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/model/job.h"
#include "backend/node_history/node_history.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/agent.pb.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe.
class VetReports {
 public:
  // All must outlive the object. `history` may be null: all are refused.
  struct Parts {
    NodeHistory* history;
    Scheduler* scheduler;
    AgentAdmission* admission;
  };
  explicit VetReports(const Parts& parts) : parts_(parts) {}

  // Of root, about its own node: a run by the site. The errors of
  // CheckNodeRoot() and NodeHistory::RecordVetRun(). May block.
  absl::Status AddOfRoot(const v1::ReportVetRunRequest& request, Uid uid,
                         const std::string& peer_address);
  // Of a user in an admitted job, about nodes of that job. It counts once for
  // each job and evaluation. PERMISSION_DENIED: of other nodes.
  absl::Status AddOfJob(const v1::ReportVetRunRequest& request, const Job& job);
  // Whether root should vet its own node: requested by a rule, and the node is
  // drained and has no jobs. The errors of CheckNodeRoot(). May block.
  absl::StatusOr<bool> IsRequested(const std::string& node, Uid uid,
                                   const std::string& peer_address);

 private:
  const Parts parts_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_VET_REPORTS_H_
