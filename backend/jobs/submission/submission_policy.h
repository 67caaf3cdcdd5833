// Asks the policy about a submission: collects what the policy reads of the
// user, the cluster, images, environments, projects, templates and quotas.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_POLICY_H_
#define CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_POLICY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/environments.h"
#include "backend/identity/session.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/maintenance/maintenance.h"
#include "backend/node_history/node_history.h"
#include "backend/policy/policy.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/display_text.h"

namespace carme::backend {

// Thread-safe.
class SubmissionPolicy {
 public:
  // All must outlive this.
  struct Parts {
    Database* database;
    Scheduler* scheduler;
    const Clock* clock;
    ImageCatalogue* images;
    Environments* environments;  // null: not offered
    Projects* projects;          // null: not offered
    Quotas* quotas;              // null: only the limits of the configuration
    const JobsConfig* config;
    ActiveJobs* active;
    const Maintenance* maintenance = nullptr;  // null: never
    NodeHistory* node_history = nullptr;       // null: no node is avoided
  };
  explicit SubmissionPolicy(const Parts& parts) : parts_(parts) {}

  // What a decision rests on that cannot be read in a transaction, because it
  // may query the directory or the database.
  struct Facts {
    SlurmSnapshotPtr cluster;
    std::vector<Image> images;  // that the user may use
    // Why the requested image is not among them; empty: it is.
    DisplayText image_problem;
    absl::StatusOr<RenderedEnvironment> environment;
    Quotas::Asker asker;
  };
  // May block for the directory. REQUIRES: not in the body of a transaction.
  Facts GatherFacts(const Session& caller, const JobSpec& spec,
                    SlurmSnapshotPtr cluster);

  // The decision for a user with `live_jobs` active jobs, with the projects,
  // templates and usage that the database has now. REQUIRES: in the body of a
  // transaction; `facts` is of the same caller and spec.
  Decision DecideInTransaction(Database& db, const Session& caller,
                               const JobSpec& spec, const Facts& facts,
                               int live_jobs);

  // The decision that a submission would get.
  Decision Preview(const Session& caller, const JobSpec& spec);
  // The same on the current snapshot: a refusal may rest on older data.
  Decision PreviewAsKnown(const Session& caller, const JobSpec& spec);

  // A new snapshot to decide again on, where the refusal depends on Slurm's
  // state. Null: it does not, or Slurm does not respond. Blocks.
  SlurmSnapshotPtr RefreshFor(const Decision& refused);

 private:
  DisplayText ImageProblem(const Session& caller, const JobSpec& spec,
                           const std::vector<Image>& images);
  absl::StatusOr<RenderedEnvironment> ResolveEnvironment(const Session& caller,
                                                         const JobSpec& spec);
  // The job that a spec joins; nothing: the caller has no such job.
  std::optional<JoinedJob> FindJoinedJob(const Session& caller,
                                         const JobSpec& spec);
  // Without project, templates and quotas.
  PolicyInput BuildInput(const Session& caller, const JobSpec& spec,
                         const Facts& facts, int live_jobs);
  // Adds each limit for such a job with its usage. REQUIRES: in the body of a
  // transaction or query.
  absl::Status AddQuotas(Database& db, const Quotas::Asker& asker,
                         PolicyInput* input);
  Decision PreviewOn(SlurmSnapshotPtr cluster, const Session& caller,
                     const JobSpec& spec);
  // `limits`: whether the quotas in `input` could be read.
  Decision Decide(const Session& caller, PolicyInput input,
                  const absl::Status& limits, const Quotas::Asker& asker) const;

  const Parts parts_;
};

// The error for a job in a project where projects are not configured.
absl::Status ProjectsNotOffered();

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_POLICY_H_
