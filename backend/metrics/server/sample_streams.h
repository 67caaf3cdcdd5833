// The streams on which agents send samples: a response follows each request,
// and the next request is read after it.
#ifndef CARME_BACKEND_METRICS_SERVER_SAMPLE_STREAMS_H_
#define CARME_BACKEND_METRICS_SERVER_SAMPLE_STREAMS_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/metrics/server/sample_requests.h"
#include "backend/metrics/server/services.h"
#include "common/concurrency/background_thread.h"
#include "common/concurrency/concurrency_limiter.h"

namespace grpc {
class CallbackServerContext;
template <class Request, class Response>
class ServerBidiReactor;
}  // namespace grpc

namespace carme::metrics {

// Thread-safe. Streams are limited, in all and of a job, and end when no
// request comes for the idle timeout.
class SampleStreams {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  // `requests` must outlive the object, and the object the server.
  SampleStreams(SampleRequests* requests, const SampleServiceLimits& limits);
  ~SampleStreams();

  // The result of the handler.
  Reactor* Open(grpc::CallbackServerContext* context);

 private:
  class Stream;
  void EndIdle();

  SampleRequests* const requests_;
  const absl::Duration idle_timeout_;
  ConcurrencyLimiter<std::string> open_;  // by job
  absl::Mutex mutex_;
  absl::flat_hash_set<Stream*> streams_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread sweeper_;  // last: uses the other members
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_SAMPLE_STREAMS_H_
