// From slapd's no to the proxy's stream of routes: what a user's access token
// has opened closes with its owner, and with nothing else.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "backend/identity/login/identity_config.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/services.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;

std::string Change(const std::string& rdn, const std::string& lines) {
  return "dn: " + rdn + ",ou=groups," + SlapdServer::kBase +
         "\nchangetype: modify\n" + lines + "\n";
}
std::string Remove(const std::string& name) {
  return Change("cn=carme-users", "delete: memberUid\nmemberUid: " + name);
}
std::string Add(const std::string& name) {
  return Change("cn=carme-users", "add: memberUid\nmemberUid: " + name);
}

class Site {
 public:
  Site() { Start(); }
  ~Site() { Stop(); }
  void Stop() {
    proxy_.reset();
    routes_.reset();
    identity_.reset();
    audit_.reset();
    database_.reset();
  }
  void Start() {
    database_ = Database::Open(dir_.File("db"), Migrations()).value();
    audit_ = AuditLog::Open(database_.get(), &clock_).value();
    identity_ = Identity::Open({.database = database_.get(),
                                .clock = &clock_,
                                .audit = audit_.get(),
                                .directory = directory_.get(),
                                .config = &config_,
                                .portal_url = "https://portal.test"})
                    .value();
    routes_ = std::make_unique<Routes>(&clock_);
    ConnectSessionEvents(identity_.get(), routes_.get(), &dispatcher_,
                         audit_.get());
    proxy_ = routes_->Subscribe([] {});
  }
  // A token that was used a moment ago: an app is open.
  NewAccessToken Token(const std::string& name, const std::string& scope) {
    const Person person = directory_->LookUp(name).value();
    const Session session = identity_->sessions->Begin(person, "", "")->session;
    NewAccessToken made = identity_->tokens
                              ->Create(session, "script", {scope},
                                       clock_.Now() + absl::Hours(24 * 30))
                              .value();
    REQUIRE_THAT(identity_->authenticator.Recheck(person.uid, name), IsOk());
    REQUIRE_THAT(identity_->authenticator.Authenticate(made.secret, ""),
                 IsOk());
    proxy_->Drain();
    return made;
  }
  void Wait(absl::Duration time) {
    clock_.Advance(time);
    identity_->authenticator.Recheck();
  }
  // Whether the proxy got a revocation of this since the last call.
  bool IsToldOver(const NewAccessToken& made) {
    for (const EndedSession& one : proxy_->Drain().revoked) {
      if (one.id == SessionIdOf(made.token.id)) return true;
    }
    return false;
  }
  absl::StatusCode Try(const NewAccessToken& made) {
    return identity_->authenticator.Authenticate(made.secret, "")
        .status()
        .code();
  }
  bool IsLive(const NewAccessToken& made) {
    return identity_->authenticator.IsLive(SessionIdOf(made.token.id));
  }

  SlapdServer slapd_;
  std::unique_ptr<LdapDirectory> directory_ =
      LdapDirectory::Create(slapd_.Config()).value();
  TempDir dir_;
  FakeClock clock_;
  IdentityConfig config_;
  StreamDispatcher dispatcher_;  // without streams
  std::unique_ptr<Database> database_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<Identity> identity_;
  std::unique_ptr<Routes> routes_;
  std::unique_ptr<RouteSubscription> proxy_;
};

TEST_CASE("departure: a token's connections end and return with its owner",
          "[backend]") {
  Site site;
  const NewAccessToken ada = site.Token("ada", "jobs:open");
  const NewAccessToken bob = site.Token("bob", "jobs:open");
  site.slapd_.Modify(Remove("ada"));
  site.Wait(DirectoryCache::kFreshFor);
  CHECK(site.IsToldOver(ada));
  CHECK_FALSE(site.IsLive(ada));
  CHECK(site.Try(ada) == kNo);
  CHECK(site.Try(bob) == absl::StatusCode::kOk);

  site.Stop();
  site.Start();
  CHECK(site.IsToldOver(ada));  // to a proxy that comes now
  CHECK_FALSE(site.IsLive(ada));

  site.slapd_.Modify(Add("ada"));
  site.Wait(DirectoryCache::kRetryAfter);
  const RouteUpdates news = site.proxy_->Drain();
  CHECK(news.revoked.empty());
  REQUIRE(news.restored.size() == 1);  // not the session that has made it
  CHECK(IsTokenSession(news.restored[0]));
  CHECK(site.IsLive(ada));
  CHECK(site.Try(ada) == absl::StatusCode::kOk);
}

TEST_CASE("deprovisioning: refuses an owner whose entry was removed",
          "[backend]") {
  Site site;
  const NewAccessToken bob = site.Token("bob", "jobs:open");
  site.slapd_.Modify("dn: uid=bob,ou=people," +
                     std::string(SlapdServer::kBase) +
                     "\nchangetype: delete\n");
  site.Wait(DirectoryCache::kFreshFor);
  CHECK(site.IsToldOver(bob));
  CHECK_FALSE(site.IsLive(bob));
}

TEST_CASE(
    "departure: connections of a token close when its owner loses the role",
    "[backend]") {
  Site site;
  const NewAccessToken carol = site.Token("carol", "admin:read");
  const NewAccessToken own = site.Token("carol", "jobs:open");
  site.slapd_.Modify(
      Change("cn=carme-admins", "replace: member\nmember: uid=eve,ou=people," +
                                    std::string(SlapdServer::kBase)));
  site.Wait(DirectoryCache::kFreshFor);
  CHECK(site.IsToldOver(carol));
  CHECK(site.Try(carol) == absl::StatusCode::kPermissionDenied);
  CHECK(site.IsLive(own));
}

TEST_CASE("departure: an unavailable directory closes no connection",
          "[backend]") {
  Site site;
  const NewAccessToken ada = site.Token("ada", "jobs:open");
  site.slapd_.Stop();
  for (int i = 0; i < 4; ++i) {
    site.Wait(DirectoryCache::kFreshFor);
    CHECK_FALSE(site.IsToldOver(ada));
    CHECK(site.IsLive(ada));
  }
  CHECK(site.Try(ada) == absl::StatusCode::kUnavailable);
  site.slapd_.Start();
  site.Wait(DirectoryCache::kRetryAfter);
  CHECK(site.Try(ada) == absl::StatusCode::kOk);
}

}  // namespace
}  // namespace carme::backend
