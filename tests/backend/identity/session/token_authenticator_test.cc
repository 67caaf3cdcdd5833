#include "backend/identity/session/token_authenticator.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/protobuf/error_details.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;

struct Site {
  FakeClock clock;
  SessionsConfig sessions_config;
  TokensConfig tokens_config;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FakeDirectory directory;
  DirectoryCache directory_cache{&directory, &clock};
  std::unique_ptr<SessionStore> sessions =
      SessionStore::Load(database.get(), &clock, &sessions_config).value();
  std::unique_ptr<AccessTokens> tokens =
      AccessTokens::Load(database.get(), &clock, &tokens_config).value();
  std::vector<TokenAuthenticator::Deprovisioned> departed;
  TokenAuthenticator credentials{
      {sessions.get(), tokens.get(), &directory_cache, &clock,
       [this](const TokenAuthenticator::Deprovisioned& who) {
         departed.push_back(who);
       }}};

  NewSession LogIn(const std::string& name, Role role = Role::kUser) {
    directory.SetPerson(name, FakeDirectory::Named(name, role));
    return sessions
        ->Begin(FakeDirectory::Named(name, role), "192.0.2.1", "curl/8")
        .value();
  }
  NewAccessToken Token(const std::string& name,
                       const std::vector<std::string>& scopes,
                       Role role = Role::kUser) {
    const Session session = LogIn(name, role).session;
    REQUIRE_THAT(credentials.Recheck(session.uid, name), IsOk());
    return tokens
        ->Create(session, "script", scopes, clock.Now() + absl::Hours(24 * 100))
        .value();
  }
  absl::StatusCode Try(const std::string& token) {
    return credentials.Authenticate(token, "").status().code();
  }
};

TEST_CASE("token authenticator: a token has its owner's current role",
          "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  const auto session = site.credentials.Authenticate(made.secret, "192.0.2.3");
  REQUIRE_THAT(session, IsOk());
  CHECK(session->username == "ada");
  CHECK(session->uid == Uid(20001));
  CHECK(session->role == Role::kUser);
  CHECK(session->scopes == std::vector<std::string>{"jobs:read"});
  CHECK(session->id == SessionIdOf(made.token.id));
  CHECK(session->reauthenticated_until == absl::InfinitePast());
  CHECK(session->expires_at == site.clock.Now() + AccessTokens::kLongestUse);
  CHECK(site.tokens->Of(Uid(20001))[0].used_from == "192.0.2.3");
  CHECK(site.credentials.IsLive(session->id));
}

TEST_CASE("token authenticator: a token is not a session", "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  const SessionId id = SessionIdOf(made.token.id);
  CHECK_FALSE(site.credentials.Refresh(id, absl::InfiniteFuture()).ok());
  CHECK_FALSE(site.credentials.End(id).ok());
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
}

TEST_CASE(
    "token authenticator: a scope above the owner's role of today is refused",
    "[backend]") {
  Site site;
  const NewAccessToken made =
      site.Token("ada", {"admin:read", "jobs:read"}, Role::kSupport);
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  site.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  site.clock.Advance(DirectoryCache::kFreshFor);
  site.credentials.Recheck();
  const auto refused = site.credentials.Authenticate(made.secret, "");
  CHECK_THAT(refused, StatusIs(absl::StatusCode::kPermissionDenied));
  CHECK(ErrorReason(refused.status()) == "ACCESS_TOKEN_EXCEEDS_ROLE");
  CHECK_FALSE(site.credentials.IsLive(SessionIdOf(made.token.id)));
}

TEST_CASE("token authenticator: refuses removed users, revokes after a day",
          "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  const SessionId stream = SessionIdOf(made.token.id);
  const NewSession session = site.LogIn("ada");
  const NewSession bob = site.LogIn("bob");
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  site.directory.SetPerson("ada", absl::NotFoundError("left"));
  site.clock.Advance(DirectoryCache::kFreshFor);
  site.credentials.Recheck();
  CHECK(site.Try(made.secret) == kNo);
  CHECK_FALSE(site.credentials.IsLive(stream));
  CHECK(site.Try(session.token) == kNo);
  CHECK(site.Try(bob.token) == absl::StatusCode::kOk);
  REQUIRE(site.departed.size() == 1);
  CHECK(site.departed[0].username == "ada");
  CHECK(site.departed[0].sessions == 2);
  CHECK(site.departed[0].tokens == 0);
  CHECK(site.departed[0].suspended == 1);
  for (int hour = 0; hour < 24; ++hour) {
    CHECK_FALSE(site.tokens->Of(Uid(20001)).empty());
    site.clock.Advance(absl::Hours(1));
    site.credentials.Recheck();
  }
  CHECK(site.tokens->Of(Uid(20001)).empty());
  CHECK(site.departed.back().tokens == 1);
  site.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  site.clock.Advance(DirectoryCache::kRetryAfter);
  CHECK(site.Try(made.secret) == kNo);  // for good
}

TEST_CASE("token authenticator: a mistake of the directory costs no token",
          "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  std::vector<SessionId> back;
  site.credentials.OnReinstated(
      [&](const SessionId& id) { back.push_back(id); });
  site.directory.SetPerson("ada", absl::NotFoundError("the replica is empty"));
  site.clock.Advance(DirectoryCache::kFreshFor);
  site.credentials.Recheck();
  CHECK(site.Try(made.secret) == kNo);
  site.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  site.clock.Advance(DirectoryCache::kRetryAfter);
  site.credentials.RecheckQueued();  // the call above has lookups for it
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  CHECK(back == std::vector<SessionId>{SessionIdOf(made.token.id)});
  CHECK(site.credentials.IsLive(SessionIdOf(made.token.id)));
}

TEST_CASE("token authenticator: refuses a name that another account has now",
          "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  Person other = FakeDirectory::Named("ada");
  other.uid = Uid(30000);
  site.directory.SetPerson("ada", other);
  site.clock.Advance(DirectoryCache::kFreshFor);
  site.credentials.Recheck();
  CHECK(site.Try(made.secret) == kNo);
  CHECK_FALSE(site.credentials.IsLive(SessionIdOf(made.token.id)));
}

TEST_CASE(
    "token authenticator: an unavailable directory ends no session and later "
    "refuses tokens",
    "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  const NewSession session = site.LogIn("ada");
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  site.directory.SetPerson("ada", absl::UnavailableError("away"));
  site.clock.Advance(DirectoryCache::kFreshFor);
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
  site.clock.Advance(DirectoryCache::kStaleFor);
  CHECK(site.Try(made.secret) == absl::StatusCode::kUnavailable);
  site.credentials.Recheck();
  CHECK(site.Try(session.token) == absl::StatusCode::kOk);
  CHECK(site.credentials.IsLive(SessionIdOf(made.token.id)));
  CHECK(site.credentials.Ended().empty());
  CHECK(site.departed.empty());
}

TEST_CASE("token authenticator: a recheck finds removed users and new roles",
          "[backend]") {
  Site site;
  const NewSession ada = site.LogIn("ada", Role::kAdmin);
  const NewSession bob = site.LogIn("bob");
  site.directory.SetPerson("ada", FakeDirectory::Named("ada", Role::kUser));
  site.directory.SetPerson("bob", absl::NotFoundError("left"));
  site.credentials.Recheck();
  CHECK(site.credentials.Authenticate(ada.token, "")->role == Role::kUser);
  CHECK(site.Try(bob.token) == kNo);
  REQUIRE(site.departed.size() == 1);
  CHECK(site.departed[0].username == "bob");
  const int lookups = site.directory.lookups();
  site.credentials.Recheck();
  CHECK(site.directory.lookups() == lookups);  // the word is young
}

TEST_CASE("token authenticator: no call queries the directory", "[backend]") {
  Site site;
  const NewSession ada = site.LogIn("ada");
  CHECK(site.Try(ada.token) == absl::StatusCode::kOk);
  const NewAccessToken made = site.tokens
                                  ->Create(ada.session, "script", {"jobs:read"},
                                           site.clock.Now() + absl::Hours(1))
                                  .value();
  CHECK(site.Try(made.secret) == absl::StatusCode::kUnavailable);
  CHECK(site.directory.lookups() == 0);
  site.credentials.RecheckQueued();
  site.credentials.RecheckQueued();
  CHECK(site.directory.lookups() == 1);
  CHECK(site.Try(made.secret) == absl::StatusCode::kOk);
}

TEST_CASE(
    "token authenticator: after a restart every owner of a token is lookups "
    "about",
    "[backend]") {
  Site site;
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  DirectoryCache directory_cache(&site.directory, &site.clock);
  TokenAuthenticator restarted(
      {site.sessions.get(), site.tokens.get(), &directory_cache, &site.clock,
       [](const TokenAuthenticator::Deprovisioned&) {}});
  restarted.RecheckQueued();
  CHECK_THAT(restarted.Authenticate(made.secret, ""), IsOk());
}

TEST_CASE("token authenticator: reports and keeps ends of both kinds",
          "[backend]") {
  Site site;
  std::vector<SessionId> heard;
  site.credentials.OnEnd(
      [&](const EndedSession& ended) { heard.push_back(ended.id); });
  const NewAccessToken made = site.Token("ada", {"jobs:read"});
  site.credentials.EndAllOf(Uid(20001), "ada");
  CHECK(heard.size() == 2);
  CHECK(site.credentials.Ended().size() == 2);
  CHECK_FALSE(site.credentials.IsLive(SessionIdOf(made.token.id)));
}

}  // namespace
}  // namespace carme::backend
