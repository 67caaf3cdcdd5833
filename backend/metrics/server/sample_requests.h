// The requests of agents with samples, of calls and of streams: who sends
// them, how many at a time, and on which thread they wait for the database.
#ifndef CARME_BACKEND_METRICS_SERVER_SAMPLE_REQUESTS_H_
#define CARME_BACKEND_METRICS_SERVER_SAMPLE_REQUESTS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/metrics/server/caller_certificates.h"
#include "backend/metrics/server/services.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/concurrency/thread_pool.h"

namespace grpc {
class ByteBuffer;
class ServerContextBase;
}  // namespace grpc

namespace carme::metrics {

// Thread-safe; no function blocks.
class SampleRequests {
 public:
  using Slot = ConcurrencyLimiter<std::string>::Slot;

  // `ingest` must outlive the object.
  SampleRequests(SampleIngest* ingest, const SampleServiceLimits& limits);

  // PERMISSION_DENIED: not the certificate of a job.
  absl::StatusOr<CallerCertificate> CallerOf(
      const grpc::ServerContextBase& context);
  // Writes a request of the caller on a thread of the pool, where `done` gets
  // the status. The pointers must live until then.
  // UNAVAILABLE: too many requests wait, of the job or of all; `done` is not
  // called.
  absl::Status Start(const CallerCertificate& caller,
                     const grpc::ServerContextBase* context,
                     const grpc::ByteBuffer* request,
                     grpc::ByteBuffer* response,
                     std::function<void(const absl::Status&)> done);

 private:
  absl::Status Write(const CallerCertificate& caller,
                     const grpc::ServerContextBase& context,
                     const grpc::ByteBuffer& request,
                     grpc::ByteBuffer* response) const;

  SampleIngest* const ingest_;
  CallerCertificates certificates_;
  ConcurrencyLimiter<std::string> requests_;  // by job
  ThreadPool pool_;                           // last: uses the other members
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_SAMPLE_REQUESTS_H_
