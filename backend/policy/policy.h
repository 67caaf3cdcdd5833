// Decides whether a user may run a job. A pure function: it reads and stores
// nothing. It is called for the preview, and again with the current usage in
// the transaction that records a job.
#ifndef CARME_BACKEND_POLICY_POLICY_H_
#define CARME_BACKEND_POLICY_POLICY_H_

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backend/policy/checks/additional_nodes.h"
#include "backend/policy/checks/batch.h"
#include "backend/policy/limits/quota.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

struct PolicyInput {
  JobSpec spec{};
  std::string username{};
  Uid uid = kNoUid;
  Role role = Role::kUser;
  Limits limits{};   // of that role
  int jobs_now = 0;  // the user's active jobs
  const std::vector<App>* apps = nullptr;
  const std::vector<Image>* images = nullptr;  // the default first
  // Why the requested image is not among them, as a sentence; empty: not
  // known.
  DisplayText image_problem{};
  const SlurmSnapshot* cluster = nullptr;
  // Whether spec.environment can be used; INVALID_ARGUMENT: no; other errors:
  // not known. With a message for the user.
  absl::Status environment{};
  // The job that spec.linked_to names; absent: the user has no such job.
  std::optional<JoinedJob> joined{};
  // The id of the environment's image in `images`; empty: another file.
  std::string environment_image{};
  // Whether the user may use spec.project; NOT_FOUND, FAILED_PRECONDITION: no;
  // other errors: not known. With a message for the user.
  absl::Status project{};
  std::string account{};  // the project's Slurm account; empty: the user's own
  // Of the job's project, or for users without one.
  TemplateOffer templates{};
  // The reservation that spec.reservation names, if the user may use it.
  std::optional<SlurmReservation> reservation{};
  // The rules for this job with their usage. Absent: only `limits` and
  // `jobs_now` apply.
  std::optional<QuotaTerms> quotas{};
  // The jobs that spec.batch depends on, in the order of its dependencies.
  std::vector<ResolvedDependency> resolved{};
  int max_array_tasks = 1000;  // of the site; 0: no limit
  absl::Time now{};            // for spec.start_at
  // Nodes that the job should not use if there are enough others.
  std::set<std::string> avoided_nodes{};
};

struct Decision {
  JobSpec spec;                       // with defaults filled in
  std::vector<Violation> violations;  // empty: allowed
  // Whether a violation may be outdated because it depends on Slurm's nodes,
  // partitions and reservations, or on associations and QOS.
  bool rests_on_resources = false;
  bool rests_on_accounting = false;
  // Nodes that the user excludes, and those of the partition on which the image
  // cannot run, which the joined job already has, or which are avoided; sorted.
  std::vector<std::string> excluded_nodes{};
  std::string account{};  // the template's, or that of the input
  // The Slurm jobs that it depends on, with the numbers of DependencyKind.
  std::vector<std::pair<SlurmJobId, int>> dependencies{};
};

// Returns all violations at once. The size is checked against all nodes with
// Carme's feature, up or not: a job waits for a node that is down.
Decision Check(const PolicyInput& input);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_POLICY_H_
