// The word of projects and quotas on an extension, as Extensions asks for it.
#ifndef CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_
#define CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_

#include "backend/jobs/lifecycle/extensions.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"

namespace carme::backend {

// Who may not run in the job's project any more has no job in it made longer.
// Both must outlive what is returned.
ExtensionQuotas ExtensionQuotasOf(Quotas* quotas, Projects* projects);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_
