// May this person run this job? A pure function: the same question has the
// same answer, nothing is read or remembered. It is asked for the preview and
// again, with the usage of that moment, inside the transaction that records a
// job.
#ifndef CARME_BACKEND_POLICY_POLICY_H_
#define CARME_BACKEND_POLICY_POLICY_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backend/policy/checks/batch.h"
#include "backend/policy/checks/additional_nodes.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/limits/quota.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

struct PolicyInput {
  JobSpec spec{};
  std::string username{};
  Uid uid = kNoUid;
  Role role = Role::kUser;
  Limits limits{};   // of that role
  int jobs_now = 0;  // of that user, that have not ended
  const std::vector<App>* apps = nullptr;
  const std::vector<Image>* images = nullptr;  // the default first
  // Why none of them is the image asked for, "is withdrawn"; empty: not known.
  std::string image_problem{};
  const SlurmSnapshot* cluster = nullptr;
  // Whether spec.environment can be used; INVALID_ARGUMENT: it cannot, others:
  // nobody could tell. In words for the user.
  absl::Status environment{};
  // The job that spec.companion_of names; absent: the user has none such.
  std::optional<JoinedJob> joined{};
  // The id of the image in `images` that it names; empty: another file.
  std::string environment_image{};
  // Whether the user may use spec.project; NOT_FOUND and FAILED_PRECONDITION:
  // not, others: nobody could tell. In words for the user.
  absl::Status project{};
  std::string account{};  // Slurm's, of that project; empty: the user's own
  // Of the job's project, or of everybody without one.
  TemplateOffer templates{};
  // The one that spec.reservation names, if the user may use it.
  std::optional<SlurmReservation> reservation{};
  // Every rule for this job, and what is used of it. Absent: `limits` and
  // `jobs_now` are all there is.
  std::optional<QuotaTerms> quotas{};
  // The jobs that spec.batch waits for, in the order of its dependencies.
  std::vector<ResolvedDependency> resolved{};
  int max_array_tasks = 1000;  // the site's; 0: no bound
  absl::Time now{};             // for spec.start_at
};

struct Decision {
  JobSpec spec;  // with every default filled in that could be found
  std::vector<Violation> violations;  // empty: allowed
  // Whether one of these may not hold any more: it rests on Slurm's nodes,
  // partitions and reservations; on associations and QOS.
  bool rests_on_resources = false;
  bool rests_on_accounting = false;
  // Of the partition's, where the image cannot run, or the job that it joins is
  // already; sorted.
  std::vector<std::string> excluded_nodes{};
  std::string account{};  // the template's, or as in the question
  // Which jobs of Slurm's it waits for, and DependencyKind's numbers.
  std::vector<std::pair<SlurmJobId, int>> dependencies{};
};

// Gives every reason at once. What the cluster has is judged by all nodes with
// Carme's feature, up or not: a node that is down for an hour is waited for.
Decision Check(const PolicyInput& input);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_POLICY_H_
