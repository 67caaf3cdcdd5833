#include "proxy/control/backend_ticket_redeemer.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <utility>

#include "carme/v1/routes.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "proxy/control/messages.h"

namespace carme::proxy {
namespace {

// A user waits for the page meanwhile.
constexpr std::chrono::seconds kRedeemTimeout{3};
// Of all loops. Further tickets are refused.
constexpr size_t kMaxRunningCalls = 1000;

}  // namespace

struct BackendTicketRedeemer::Call {
  std::unique_ptr<v1::RouteService::Stub> stub;
  grpc::ClientContext context;
  v1::RedeemTicketRequest request;
  v1::RedeemTicketResponse response;
  OnResult done;
};

BackendTicketRedeemer::~BackendTicketRedeemer() {
  std::map<const Call*, std::shared_ptr<Call>> calls;
  {
    const absl::MutexLock lock(&mutex_);
    calls = running_;
  }
  // Without the lock: cancelling may end a call in this thread.
  for (const auto& [key, call] : calls) call->context.TryCancel();
  const absl::MutexLock lock(&mutex_);
  const auto ended = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return running_.empty();
  };
  mutex_.Await(absl::Condition(&ended));
}

void BackendTicketRedeemer::Redeem(std::string signed_ticket, OnResult done) {
  const auto channel = connection_.Channel();
  if (!channel.ok()) return done(channel.status());
  const auto call = std::make_shared<Call>();
  call->stub = v1::RouteService::NewStub(*channel);
  call->context.set_deadline(std::chrono::system_clock::now() + kRedeemTimeout);
  call->request.set_ticket(std::move(signed_ticket));
  call->done = std::move(done);
  bool starts = false;
  {
    const absl::MutexLock lock(&mutex_);
    starts = running_.size() < kMaxRunningCalls;
    if (starts) running_.emplace(call.get(), call);
  }
  if (!starts) {
    return call->done(
        MakePlainError(proxy_control_messages::kTooManyRedemptions));
  }
  call->stub->async()->RedeemTicket(&call->context, &call->request,
                                    &call->response,
                                    [this, call](const grpc::Status& status) {
                                      End(*call, FromGrpc(status));
                                    });
}

void BackendTicketRedeemer::End(const Call& call, const absl::Status& status) {
  const bool older = IsMethodUnknown(status);
  call.done(older ? absl::OkStatus() : status);
  bool logs = false;
  {
    const absl::MutexLock lock(&mutex_);
    logs = older && !std::exchange(older_backend_logged_, true);
    running_.erase(&call);
  }
  // Does not use this object, which may be destroyed now.
  if (logs) {
    LogWarning(
        "the backend is older than this proxy: with several proxies, a link "
        "to an app works once at each of them; update carme-backend");
  }
}

}  // namespace carme::proxy
