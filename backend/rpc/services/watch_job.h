// The streams of AgentService.WatchJob, on which agents receive updates.
#ifndef CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_
#define CARME_BACKEND_RPC_SERVICES_WATCH_JOB_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "backend/jobs/agents/agent_admission.h"
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
    const ClientAuthoritySource* authorities;
    const AgentAdmission* admission;
  };
  // The parts must outlive the object, and the object the server.
  explicit WatchJobStreams(const Parts& parts);
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
