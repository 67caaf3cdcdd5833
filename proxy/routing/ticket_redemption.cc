#include "proxy/routing/ticket_redemption.h"

#include <cerrno>
#include <memory>
#include <utility>

#include "common/log.h"
#include "common/net/event_loop.h"
#include "proxy/http/cookies.h"
#include "proxy/local_reply/local_reply.h"

namespace carme::proxy {
namespace {

// Waits for one call of a redeemer; ends early when the loop stops.
class RedemptionWaiter : private net::EventSource {
 public:
  RedemptionWaiter(net::EventLoop& loop, TicketRedeemer& redeemer,
                   std::string signed_ticket)
      : loop_(loop),
        redeemer_(redeemer),
        signed_ticket_(std::move(signed_ticket)) {
    // Cannot fail without a descriptor.
    loop_.Add(-1, 0, this).IgnoreError();
  }
  ~RedemptionWaiter() override {
    owner_->waiter = nullptr;
    loop_.Remove(-1, this);
  }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    redeemer_.Redeem(std::move(signed_ticket_),
                     [loop = &loop_, owner = owner_](const absl::Status& s) {
                       loop->Post([owner, s] {
                         if (owner->waiter != nullptr) owner->waiter->End(s);
                       });
                     });
  }
  absl::Status await_resume() const { return status_; }

 private:
  // Outlives the waiter; used on the loop's thread only.
  struct Owner {
    RedemptionWaiter* waiter;
  };
  void OnEvents(uint32_t) override {}
  void OnStop() override { End(absl::CancelledError("stopping")); }
  void End(const absl::Status& status) {
    if (!waiter_) return;
    status_ = status;
    loop_.Schedule(std::exchange(waiter_, {}));
  }

  net::EventLoop& loop_;
  TicketRedeemer& redeemer_;
  std::string signed_ticket_;
  const std::shared_ptr<Owner> owner_ = std::make_shared<Owner>(Owner{this});
  std::coroutine_handle<> waiter_;
  absl::Status status_;
};

void AppendRefused(LoopState& state, TicketRedemption& redemption,
                   const absl::Status& status) {
  LogInfo("ticket rejected", {{"request", redemption.request_id},
                              {"client", redemption.client},
                              {"host", redemption.access->host.label},
                              {"error", std::string(status.message())}});
  redemption.record.SetStatus(StatusOf(ReplyReason::kTicketRejected));
  LocalReplyOptions options;
  options.hsts = state.hsts();
  options.page = redemption.page;
  options.close = redemption.closing;
  options.request_id = redemption.request_id;
  const std::string portal = state.shared().hosts.PortalUrl();
  options.portal_url = portal;
  AppendLocalReply(ReplyReason::kTicketRejected, options, &state.out());
}

}  // namespace

net::Task<void> AnswerTicket(LoopState& state, TicketRedemption& redemption) {
  RedemptionWaiter waiter(state.loop(), *state.shared().redeemer,
                          std::move(redemption.signed_ticket));
  const absl::Status redeemed = co_await waiter;
  state.out().clear();
  if (redeemed.ok()) {
    AppendTicketAccepted(state, redemption);
  } else {
    AppendRefused(state, redemption, redeemed);
  }
}

void AppendTicketAccepted(LoopState& state, TicketRedemption& redemption) {
  const AccessGrant& access = *redemption.access;
  const SharedState& shared = state.shared();
  LogInfo("app opened", {{"request", redemption.request_id},
                         {"user", access.user},
                         {"host", access.host.label},
                         {"client", redemption.client}});
  redemption.record.SetStatus(303);
  LocalReplyOptions options;
  options.close = redemption.closing;
  options.hsts = state.hsts();
  options.request_id = redemption.request_id;
  AppendOpened(redemption.prefix + "/",
               shared.hosts.is_path_based() ? kPathCookieName : kJobCookieName,
               state.SealCookie(access.host.label, access.signed_grant),
               absl::ToInt64Seconds(access.expires - shared.clock.Now()),
               options, &state.out());
}

}  // namespace carme::proxy
