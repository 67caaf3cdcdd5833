// Adapts projects and quotas to the interface that Extensions uses.
#ifndef CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_
#define CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_

#include "backend/jobs/lifecycle/extensions.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"

namespace carme::backend {

// Refuses extensions when the user may no longer run jobs in the job's project.
// Both pointers must outlive the result.
ExtensionQuotas ExtensionQuotasOf(Quotas* quotas, Projects* projects);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_EXTENSION_QUOTAS_H_
