#include "backend/wiring/extension_quotas.h"

#include <string>

#include "common/status.h"

namespace carme::backend {

ExtensionQuotas ExtensionQuotasOf(Quotas* quotas, Projects* projects) {
  return {.reserve =
              [quotas, projects](const Session& caller, const Job& job,
                                 absl::Duration extra) {
                return [quotas, projects, asker = quotas->AskerOf(caller), job,
                        extra](Database& db) {
                  const std::string& project = job.spec.project;
                  if (!project.empty()) {
                    RETURN_IF_ERROR(
                        projects->ForJob(db, project, job.owner_uid).status());
                  }
                  return quotas->ReserveExtension(db, asker, job.id, extra);
                };
              },
          .complete =
              [quotas](Database& db, const JobId& id) {
                return quotas->CompleteExtension(db, id);
              }};
}

}  // namespace carme::backend
