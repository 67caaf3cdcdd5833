// The component that submits, watches and stops jobs, serves their agents, and
// records what they used.
#ifndef CARME_BACKEND_WIRING_JOB_MANAGEMENT_H_
#define CARME_BACKEND_WIRING_JOB_MANAGEMENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/history/history.h"
#include "backend/history/utilization.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/agents/munge_decoder.h"
#include "backend/jobs/agents/redeemed_tickets.h"
#include "backend/jobs/diagnosis/start_estimator.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/image_copies.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/resubmissions.h"
#include "backend/node_history/node_history.h"
#include "backend/wiring/backend_config.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/job_resources.h"
#include "backend/wiring/slurm_access.h"
#include "backend/wiring/state_directory.h"
#include "common/clock.h"

namespace carme::backend {

struct JobManagement {
  // All must outlive the object.
  struct Parts {
    StateDirectory* state;
    const Clock* clock;
    Identity* identity;
    SlurmAccess* slurm;
    JobResources* resources;
    NodeHistory* node_history = nullptr;  // null: no node is avoided
    const BackendConfig* config;
  };
  // Loads the active jobs from the database, and deletes expired history.
  static absl::StatusOr<std::unique_ptr<JobManagement>> Open(
      const Parts& parts);
  JobManagement(const JobManagement&) = delete;
  JobManagement& operator=(const JobManagement&) = delete;

  const std::unique_ptr<Routes> routes;
  const std::unique_ptr<Jobs> jobs;
  MungeDecoder munge;
  RedeemedTickets redeemed_tickets;
  AgentAdmission admission;
  StartEstimator start_estimator;
  AdminJobs admin_jobs;
  ImageCopies image_copies;
  Resubmissions resubmissions;
  History history;
  UtilizationRecorder utilization;

 private:
  JobManagement(const Parts& parts, std::unique_ptr<Routes> new_routes,
                std::unique_ptr<Jobs> opened_jobs);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_JOB_MANAGEMENT_H_
