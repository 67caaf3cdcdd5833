// The limits that apply to a user's jobs.
#ifndef CARME_BACKEND_RPC_START_FORM_START_LIMITS_H_
#define CARME_BACKEND_RPC_START_FORM_START_LIMITS_H_

#include "absl/status/status.h"
#include "backend/identity/session.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"

namespace carme::v1 {
class GetLimitsResponse;
}  // namespace carme::v1

namespace carme::backend {

struct StartLimitsSources {
  Quotas* quotas;
  Projects* projects;
  Scheduler* scheduler;
};

// The response of GetLimits to this user: Carme's limits with their sources,
// and Slurm's from the last snapshot. `user` need not be a session that exists.
// UNAVAILABLE: a limit depends on the user's groups, which are unknown now; the
// database's errors. May block for the directory.
absl::Status FillLimits(const Session& user, const StartLimitsSources& sources,
                        v1::GetLimitsResponse* response);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_START_FORM_START_LIMITS_H_
