// carme.v1.JobService: a user's jobs over gRPC.
#ifndef CARME_BACKEND_RPC_JOB_SERVICE_H_
#define CARME_BACKEND_RPC_JOB_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/jobs/forecaster.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/ticket_signer.h"
#include "backend/rpc/stream_pump.h"
#include "common/clock.h"

namespace grpc {
class Service;
}

namespace carme::backend {

struct JobServiceParts {
  Jobs* jobs;
  Sessions* sessions;
  const TicketSigner* signer;
  StreamPump* pump;
  AuditLog* audit;
  const Clock* clock;
  Forecaster* forecaster = nullptr;  // null: previews say no time
};

// All parts outlive the service.
std::unique_ptr<grpc::Service> NewJobService(const JobServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_JOB_SERVICE_H_
