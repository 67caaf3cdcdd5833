// A user's jobs as those who read them see them, at once and as they change.
// Included by the services' .cc files only, because it needs gRPC's headers.
#ifndef CARME_BACKEND_RPC_JOB_NEWS_H_
#define CARME_BACKEND_RPC_JOB_NEWS_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "backend/identity/session.h"
#include "backend/jobs/jobs.h"
#include "backend/rpc/caller.h"
#include "backend/rpc/job_service.h"
#include "carme/v1/jobs.pb.h"

namespace carme::backend {

// With what depends on who reads it.
void FillFor(const Session& reader, const Job& job, Jobs& jobs,
             v1::Job* message);

// The stream of WatchJobs: everything, then what changed. Ends with
// RESOURCE_EXHAUSTED where one user watches from too many places. `parts`
// outlives the stream.
grpc::ServerWriteReactor<v1::WatchJobsResponse>* OpenJobNews(
    const JobServiceParts& parts, grpc::CallbackServerContext* context,
    const Caller& caller);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_JOB_NEWS_H_
