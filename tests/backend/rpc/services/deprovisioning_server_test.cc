// From slapd's no to the proxy's stream of routes: what somebody's access token
// has opened closes with its owner, and with nothing else.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/identity/ldap/ldap_directory.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/jobs/feeds/routes.h"
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
    credentials_.reset();
    directory_cache_.reset();
    tokens_.reset();
    sessions_.reset();
    database_.reset();
  }
  // As main() wires them.
  void Start() {
    database_ = Database::Open(dir_.File("db"), Migrations()).value();
    sessions_ =
        SessionStore::Load(database_.get(), &clock_, &sessions_config_).value();
    tokens_ =
        AccessTokens::Load(database_.get(), &clock_, &tokens_config_).value();
    directory_cache_ =
        std::make_unique<DirectoryCache>(directory_.get(), &clock_);
    credentials_ =
        std::make_unique<TokenAuthenticator>(TokenAuthenticator::Parts{
            sessions_.get(), tokens_.get(), directory_cache_.get(), &clock_,
            [](const TokenAuthenticator::Deprovisioned&) {}});
    routes_ = std::make_unique<Routes>(&clock_);
    for (const EndedSession& ended : credentials_->Ended()) {
      routes_->Revoke(ended);
    }
    credentials_->OnEnd(
        [this](const EndedSession& ended) { routes_->Revoke(ended); });
    credentials_->OnReinstated(
        [this](const SessionId& session) { routes_->Restore(session); });
    proxy_ = routes_->Subscribe([] {});
  }
  // A token that was used a moment ago: an app is open.
  NewAccessToken Token(const std::string& name, const std::string& scope) {
    const Person person = directory_->LookUp(name).value();
    const Session session = sessions_->Begin(person, "", "")->session;
    NewAccessToken made = tokens_
                              ->Create(session, "script", {scope},
                                       clock_.Now() + absl::Hours(24 * 30))
                              .value();
    REQUIRE_THAT(credentials_->Recheck(person.uid, name), IsOk());
    REQUIRE_THAT(credentials_->Authenticate(made.secret, ""), IsOk());
    proxy_->Drain();
    return made;
  }
  void Wait(absl::Duration time) {
    clock_.Advance(time);
    credentials_->Recheck();
  }
  // Whether the proxy was told, since the last time, that this is over.
  bool IsToldOver(const NewAccessToken& made) {
    for (const EndedSession& one : proxy_->Drain().revoked) {
      if (one.id == SessionIdOf(made.token.id)) return true;
    }
    return false;
  }
  absl::StatusCode Try(const NewAccessToken& made) {
    return credentials_->Authenticate(made.secret, "").status().code();
  }
  bool IsLive(const NewAccessToken& made) {
    return credentials_->IsLive(SessionIdOf(made.token.id));
  }

  SlapdServer slapd_;
  std::unique_ptr<LdapDirectory> directory_ =
      LdapDirectory::Create(slapd_.Config()).value();
  TempDir dir_;
  FakeClock clock_;
  SessionsConfig sessions_config_;
  TokensConfig tokens_config_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SessionStore> sessions_;
  std::unique_ptr<AccessTokens> tokens_;
  std::unique_ptr<DirectoryCache> directory_cache_;
  std::unique_ptr<TokenAuthenticator> credentials_;
  std::unique_ptr<Routes> routes_;
  std::unique_ptr<RouteSubscription> proxy_;
};

TEST_CASE(
    "departure: what a token opened closes when its owner is let in no "
    "more, and opens again with them",
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

TEST_CASE("departure: an owner whose entry is gone is let in no more",
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

TEST_CASE("departure: what a token opened closes with the role that it needs",
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

TEST_CASE("departure: a directory that is away closes nothing", "[backend]") {
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
