// The quotas that the extensions of jobs use.
#ifndef CARME_BACKEND_JOBS_EXTENSION_QUOTAS_H_
#define CARME_BACKEND_JOBS_EXTENSION_QUOTAS_H_

#include "backend/jobs/lifecycle/extensions.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"

namespace carme::backend {

// Counts extensions in the quotas of their users and projects. Refuses an
// extension when the user may no longer run jobs in the job's project.
class SiteExtensionQuotas : public ExtensionQuotas {
 public:
  // Both must outlive this. Null `projects`: there are no projects.
  SiteExtensionQuotas(Quotas* quotas, Projects* projects)
      : quotas_(*quotas), projects_(projects) {}

  InTransaction Reserve(const Session& caller, const Job& job,
                        absl::Duration extra) override;
  absl::Status Complete(Database& db, const JobId& job) override;

 private:
  Quotas& quotas_;
  Projects* const projects_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_EXTENSION_QUOTAS_H_
