// Streams the logs of the caller's jobs while they grow.
#ifndef CARME_BACKEND_RPC_JOB_LOGS_JOB_LOG_SERVICE_H_
#define CARME_BACKEND_RPC_JOB_LOGS_JOB_LOG_SERVICE_H_

#include <memory>

#include "absl/time/time.h"
#include "backend/rpc/job_logs/log_reads.h"

namespace grpc {
class Service;
}

namespace carme {
class Clock;
}

namespace carme::backend {

class Jobs;
class Sessions;
class StreamDispatcher;

// All pointers outlive the service.
struct JobLogServiceParts {
  Jobs* jobs;
  Sessions* sessions;
  StreamDispatcher* dispatcher;
  const Clock* clock;
  LogReadLimits limits = {};
  // Between two reads of a log that grows, and of one that has not grown for
  // long.
  absl::Duration min_period = absl::Seconds(2);
  absl::Duration max_period = absl::Seconds(10);
  // A stream ends when a read of its log takes longer, or waits longer for its
  // turn.
  absl::Duration max_read = absl::Seconds(20);
  absl::Duration max_wait = absl::Minutes(3);
};
std::unique_ptr<grpc::Service> NewJobLogService(
    const JobLogServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_JOB_LOGS_JOB_LOG_SERVICE_H_
