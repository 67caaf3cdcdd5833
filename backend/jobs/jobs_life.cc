// What a user does with a job that lives, beside stopping it.
#include "absl/strings/str_cat.h"
#include "backend/jobs/jobs.h"
#include "common/status.h"

namespace carme::backend {

absl::StatusOr<Job> Jobs::Extend(const Session& caller, const JobId& id,
                                 absl::Duration by, const std::string& key,
                                 const std::string& request_id) {
  RETURN_IF_ERROR(Get(caller, id, request_id).status());
  return extensions_.Extend(caller, id, by, key, request_id);
}

absl::StatusOr<Job> Jobs::Hold(const Session& caller, const JobId& id,
                               const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  return holds_.Hold(job, request_id);
}

absl::StatusOr<Job> Jobs::Release(const Session& caller, const JobId& id,
                                  const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  if (const AdminAction* hold = AdminHoldOf(job)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "the administrator ", hold->administrator,
        " holds this job: ", hold->reason, ". Ask them to release it"));
  }
  return holds_.Release(job, request_id);
}

absl::StatusOr<Job> Jobs::Keep(const Session& caller, const JobId& id,
                               const std::string& request_id) {
  RETURN_IF_ERROR(Get(caller, id, request_id).status());
  return idle_.Keep(id);
}

}  // namespace carme::backend
