// The streams on which running agents hear what changes: AgentService.Follow.
#ifndef CARME_BACKEND_RPC_AGENT_FOLLOW_H_
#define CARME_BACKEND_RPC_AGENT_FOLLOW_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "backend/jobs/family.h"
#include "backend/rpc/blocking_work.h"
#include "backend/rpc/server_identity.h"
#include "backend/rpc/stream_pump.h"
#include "common/ids.h"

namespace grpc {
class CallbackServerContext;
template <class Response>
class ServerWriteReactor;
}  // namespace grpc

namespace carme::v1 {
class FollowResponse;
}  // namespace carme::v1

namespace carme::backend {

// Thread-safe. A job has one stream: the newest, so that there are never more
// than jobs that run, beside those that still have to prove themselves.
class AgentFollow {
 public:
  struct Parts {
    StreamPump* pump;  // for these streams alone: there may be a lot
    // What agents are told; another pointer when it is another.
    std::function<std::shared_ptr<const ClientAuthorities>()> proxy_trust;
    std::function<bool(const JobId&)> is_live;  // cheap
    // What the agent of a job is told of its nodes; nothing: as it was. Cheap.
    std::function<std::optional<Family>(const JobId&)> family_of;
    // The job's agent has gone, for whatever reason, and has no newer stream.
    // Cheap.
    std::function<void(const JobId&)> left = {};
  };
  // REQUIRES: the parts outlive this, and this the server.
  explicit AgentFollow(Parts parts);
  ~AgentFollow();

  // Whose stream it is, or why it is refused. May block for seconds.
  using Admit = std::function<absl::StatusOr<JobId>()>;

  // What the handler returns. Says nothing before `admit` has, which is called
  // once, on a thread of this.
  grpc::ServerWriteReactor<v1::FollowResponse>* Open(
      grpc::CallbackServerContext* context, Admit admit);

 private:
  class Newest;
  class Source;

  const Parts parts_;
  const std::shared_ptr<Newest> newest_;
  BlockingWork work_;  // last: it uses the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_AGENT_FOLLOW_H_
