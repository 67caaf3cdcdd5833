// The streams of AgentService.WatchJob, on which agents receive updates.
#ifndef CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_
#define CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "common/concurrency/thread_pool.h"
#include "common/ids.h"

namespace grpc {
class CallbackServerContext;
template <class Response>
class ServerWriteReactor;
}  // namespace grpc

namespace carme::v1 {
class WatchJobResponse;
}  // namespace carme::v1

namespace carme::backend {

// Thread-safe. A job has one stream, the newest. So there are at most as many
// streams as running jobs, plus those that are not authenticated yet.
class WatchJobStreams {
 public:
  struct Parts {
    StreamDispatcher* dispatcher;  // for these streams only: there may be many
    // Returns another pointer when the authorities change.
    std::function<std::shared_ptr<const ClientAuthorities>()> proxy_trust;
    std::function<bool(const JobId&)> is_live;  // cheap
    // The job's linked jobs; nullopt: unchanged. Cheap.
    std::function<std::optional<LinkedJobs>(const JobId&)> linked_jobs_of;
    // Called when the job's agent disconnected and has no newer stream. Cheap.
    std::function<void(const JobId&)> left = {};
  };
  // The parts must outlive the object, and the object the server.
  explicit WatchJobStreams(Parts parts);
  ~WatchJobStreams();

  // Authenticates an agent and returns its job. May block for seconds.
  using Admit = std::function<absl::StatusOr<JobId>()>;

  // The result of the handler. Writes nothing before `admit` succeeded, which
  // is called once, on a thread of the pool.
  grpc::ServerWriteReactor<v1::WatchJobResponse>* Open(
      grpc::CallbackServerContext* context, Admit admit);

 private:
  class Newest;
  class Source;

  const Parts parts_;
  const std::shared_ptr<Newest> newest_;
  ThreadPool pool_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_
