// From the end of a session to the proxy: what closes a notebook's websockets
// must leave on the stream of routes at once.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

class Served : public AccountSite {
 public:
  Served() {
    credentials_.OnEnd([this](const EndedSession& ended) {
      routes_.Revoke(ended);
      dispatcher_.WakeAll();
    });
    dispatcher_.Start();
    ServiceMap services;
    services["account"] =
        NewAccountService({sessions_.get(), tokens_.get(), &credentials_,
                           &directory_, &throttle_, audit_.get()});
    services["routes"] =
        NewRouteService(&routes_, {}, &dispatcher_, audit_.get());
    Serve(std::move(services));
    account_ = v1::AccountService::NewStub(AsFrontend());
    proxy_ = v1::RouteService::NewStub(
        server_->Connect(Port::kClients, kProxyNames));
    stream_ = proxy_->WatchRoutes(&watch_, {});
    REQUIRE(stream_->Read(&news_));  // the snapshot
  }
  ~Served() {
    dispatcher_.EndAll(absl::UnavailableError("the backend stops"));
    while (stream_->Read(&news_)) {
    }
    stream_->Finish();
    server_.reset();
    dispatcher_.Stop();
  }
  // How long until the proxy knows of this session's end.
  absl::Duration Until(const SessionId& id, absl::Time start) {
    do {
      REQUIRE(stream_->Read(&news_));
    } while (news_.revoked_sessions_size() == 0);
    CHECK(news_.revoked_sessions(0).session_id() == id.value());
    return absl::Now() - start;
  }

  LoginThrottle throttle_{&clock_};
  Routes routes_{&clock_};
  StreamDispatcher dispatcher_;
  std::unique_ptr<v1::AccountService::Stub> account_;
  std::unique_ptr<v1::RouteService::Stub> proxy_;
  grpc::ClientContext watch_;
  v1::WatchRoutesResponse news_;
  std::unique_ptr<grpc::ClientReader<v1::WatchRoutesResponse>> stream_;
};

// Far below the second that a person was promised, and far above what a busy
// machine adds.
constexpr absl::Duration kAtOnce = absl::Milliseconds(300);

TEST_CASE("revocation: sends an ended session to the proxy at once",
          "[backend]") {
  Served site;
  const NewSession here = site.LogIn("ada");
  // The first call makes the connection; a busy machine may be late now and
  // then, but not each time.
  bool at_once = false;
  for (int i = 0; i < 20 && !at_once; ++i) {
    const NewSession there = site.LogIn("ada");
    v1::EndSessionRequest request;
    request.set_id(there.session.id.value());
    v1::EndSessionResponse response;
    CallWith call(here.token);
    const absl::Time start = absl::Now();
    REQUIRE_THAT(site.account_->EndSession(&call, request, &response), IsOk());
    at_once = site.Until(there.session.id, start) < kAtOnce;
  }
  CHECK(at_once);
}

TEST_CASE("revocation: sends a revoked access token as a session",
          "[backend]") {
  Served site;
  const NewSession here = site.LogIn("ada");
  bool at_once = false;
  for (int i = 0; i < 20 && !at_once; ++i) {
    const auto made = site.tokens_->Create(here.session, "t", {"jobs:open"},
                                           site.clock_.Now() + absl::Hours(50));
    v1::RevokeTokenRequest request;
    request.set_id(made->token.id);
    v1::RevokeTokenResponse response;
    CallWith call(here.token);
    const absl::Time start = absl::Now();
    REQUIRE_THAT(site.account_->RevokeToken(&call, request, &response), IsOk());
    at_once = site.Until(SessionIdOf(made->token.id), start) < kAtOnce;
    CHECK(site.news_.revoked_sessions(0).forget_after().seconds() ==
          absl::ToUnixSeconds(site.clock_.Now() + AccessTokens::kLongestUse));
  }
  CHECK(at_once);
}

}  // namespace
}  // namespace carme::backend
