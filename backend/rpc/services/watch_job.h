// The streams on which running agents hear what changes: AgentService.WatchJob.
#ifndef CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_
#define CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "backend/jobs/model/linked_jobs.h"
#include "common/concurrency/thread_pool.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
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

// Thread-safe. A job has one stream: the newest, so that there are never more
// than jobs that run, beside those that still have to prove themselves.
class WatchJobStreams {
 public:
  struct Parts {
    StreamDispatcher* dispatcher;  // for these streams alone: there may be a lot
    // What agents are told; another pointer when it is another.
    std::function<std::shared_ptr<const ClientAuthorities>()> proxy_trust;
    std::function<bool(const JobId&)> is_live;  // cheap
    // What the agent of a job is told of its nodes; nothing: as it was. Cheap.
    std::function<std::optional<LinkedJobs>(const JobId&)> family_of;
    // The job's agent has gone, for whatever reason, and has no newer stream.
    // Cheap.
    std::function<void(const JobId&)> left = {};
  };
  // REQUIRES: the parts outlive this, and this the server.
  explicit WatchJobStreams(Parts parts);
  ~WatchJobStreams();

  // Whose stream it is, or why it is refused. May block for seconds.
  using Admit = std::function<absl::StatusOr<JobId>()>;

  // What the handler returns. Says nothing before `admit` has, which is called
  // once, on a thread of this.
  grpc::ServerWriteReactor<v1::WatchJobResponse>* Open(
      grpc::CallbackServerContext* context, Admit admit);

 private:
  class Newest;
  class Source;

  const Parts parts_;
  const std::shared_ptr<Newest> newest_;
  ThreadPool pool_;  // last: it uses the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_
