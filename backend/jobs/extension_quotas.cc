#include "backend/jobs/extension_quotas.h"

#include <string>

#include "common/status.h"

namespace carme::backend {

ExtensionQuotas::InTransaction SiteExtensionQuotas::Reserve(
    const Session& caller, const Job& job, absl::Duration extra) {
  // Looks up the groups of the user, which may block.
  return [this, asker = quotas_.AskerOf(caller), job,
          extra](Database& db) -> absl::Status {
    const std::string& project = job.spec.project;
    if (projects_ != nullptr && !project.empty()) {
      RETURN_IF_ERROR(projects_->ForJob(db, project, job.owner_uid).status());
    }
    return quotas_.ReserveExtension(db, asker, job.id, extra);
  };
}

absl::Status SiteExtensionQuotas::Complete(Database& db, const JobId& job) {
  return quotas_.CompleteExtension(db, job);
}

}  // namespace carme::backend
