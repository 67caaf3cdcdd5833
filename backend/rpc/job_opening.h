// Whether a job's app can be opened, and where.
#ifndef CARME_BACKEND_RPC_JOB_OPENING_H_
#define CARME_BACKEND_RPC_JOB_OPENING_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/jobs/job.h"
#include "backend/rpc/caller.h"
#include "backend/rpc/job_service.h"

namespace carme::backend {

// The job, where the caller may open the app in it; empty: the one that it
// begins with. FAILED_PRECONDITION where there is none such, or it is over.
absl::StatusOr<Job> JobToOpen(const JobServiceParts& parts, const JobId& id,
                              const std::string& app, const Caller& caller);

// With a ticket, which is worth nothing after seconds.
std::string AddressToOpen(const JobServiceParts& parts, const Job& job,
                          const std::string& app, const Caller& caller);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_JOB_OPENING_H_
