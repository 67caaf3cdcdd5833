#include "backend/identity/session/access_tokens.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/crypto/hash.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;
const std::vector<std::string> kRead = {"jobs:read"};

Session SessionAs(const std::string& name, Role role = Role::kUser) {
  Session session;
  session.username = name;
  session.uid = name == "ada" ? Uid(20001) : Uid(20002);
  session.role = role;
  return session;
}
const Session kAda = SessionAs("ada");
const Session kBob = SessionAs("bob");

struct Backend {
  TempDir dir;
  FakeClock clock;
  TokensConfig config = {.max_days = 30, .max_per_user = 3};
  std::unique_ptr<Database> database;
  std::unique_ptr<AccessTokens> tokens;

  Backend() { Restart(); }
  void Restart() {
    tokens.reset();
    database.reset();
    database = Database::Open(dir.File("db"), Migrations()).value();
    tokens = AccessTokens::Load(database.get(), &clock, &config).value();
  }
  absl::StatusOr<NewAccessToken> Create(
      const Session& owner = kAda,
      const std::vector<std::string>& scopes = kRead,
      absl::Duration life = absl::Hours(24 * 30),
      const std::string& name = "nightly") {
    return tokens->Create(owner, name, scopes, clock.Now() + life);
  }
  absl::StatusCode Try(const std::string& secret) {
    return tokens->Use(secret, "192.0.2.9").status().code();
  }
  // The first column of the only row.
  std::string Ask(const std::string& sql) {
    std::string answer;
    REQUIRE_THAT(database->Query([&](Database& db) {
      Statement read = db.Prepare(sql).value();
      if (read.Step().value()) answer = read.Blob(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return answer;
  }
};

TEST_CASE("tokens: refuses malformed secrets", "[backend]") {
  Backend backend;
  const NewAccessToken made = backend.Create().value();
  CHECK(IsAccessToken(made.secret));
  CHECK(made.secret.size() == 49);
  CHECK(backend.Try(made.secret) == absl::StatusCode::kOk);
  CHECK(backend.Try("") == kNo);
  CHECK(backend.Try("carme_" + std::string(43, 'A')) == kNo);
  CHECK(backend.Try(made.token.id) == kNo);
  const std::string stored = backend.Ask("SELECT hash FROM access_tokens");
  CHECK(stored == Sha256(made.secret));
  CHECK(backend.Try(stored) == kNo);
  CHECK(backend.Try(made.secret.substr(6)) == kNo);
}

TEST_CASE("tokens: refuses invalid requests with the reason", "[backend]") {
  Backend backend;
  const absl::Duration day = absl::Hours(24);
  struct Row {
    std::string name;
    std::vector<std::string> scopes;
    absl::Duration life;
    absl::StatusCode code;
  };
  const Row rows[] = {
      {"", kRead, day, absl::StatusCode::kInvalidArgument},
      {std::string(65, 'x'), kRead, day, absl::StatusCode::kInvalidArgument},
      {"a\nb", kRead, day, absl::StatusCode::kInvalidArgument},
      {"a", {}, day, absl::StatusCode::kInvalidArgument},
      {"a", {"jobs:all"}, day, absl::StatusCode::kInvalidArgument},
      {"a", {""}, day, absl::StatusCode::kInvalidArgument},
      {"a", {"jobs:read jobs:write"}, day, absl::StatusCode::kInvalidArgument},
      {"a", std::vector<std::string>(99, "jobs:read"), day,
       absl::StatusCode::kInvalidArgument},
      {"a", {"admin:read"}, day, absl::StatusCode::kPermissionDenied},
      {"a",
       {"jobs:read", "audit:read"},
       day,
       absl::StatusCode::kPermissionDenied},
      {"a",
       {"calendar:read", "reservations:read"},
       day,
       absl::StatusCode::kInvalidArgument},
      {"a", {"calendar:read"}, day, absl::StatusCode::kOk},
      {"a", kRead, absl::ZeroDuration(), absl::StatusCode::kInvalidArgument},
      {"a", kRead, -day, absl::StatusCode::kInvalidArgument},
      {"a", kRead, 31 * day, absl::StatusCode::kInvalidArgument},
      {"a", kRead, absl::InfiniteDuration(),
       absl::StatusCode::kInvalidArgument},
      {"a", kRead, 30 * day, absl::StatusCode::kOk},
  };
  for (const Row& row : rows) {
    const auto made = backend.Create(kAda, row.scopes, row.life, row.name);
    INFO(made.status());
    CHECK_THAT(made, StatusIs(row.code));
  }
  for (const Role role : {Role::kSupport, Role::kAdmin}) {
    CHECK_THAT(backend.Create(SessionAs("bob", role), {"admin:read"}), IsOk());
  }
  CHECK_THAT(
      backend.Create(SessionAs("bob", Role::kManager), {"admin:read"}).status(),
      StatusIs(absl::StatusCode::kPermissionDenied));
  for (const char* scope : {"admin:write", "templates:write", "limits:write"}) {
    CHECK_THAT(
        backend.Create(SessionAs("bob", Role::kSupport), {scope}).status(),
        StatusIs(absl::StatusCode::kPermissionDenied));
  }
}

TEST_CASE(
    "tokens: used from another address one is refused, after restarts too",
    "[backend]") {
  Backend backend;
  const auto create = [&](const std::vector<std::string>& addresses) {
    return backend.tokens->Create(kAda, "nightly", kRead,
                                  backend.clock.Now() + absl::Hours(1),
                                  addresses);
  };
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"192.0.2.0/33"},
        {"192.0.2.1/24"},
        {"host.example.org"},
        {""},
        {"192.0.2.0/24 198.51.100.0/24"},
        {std::string(60, '1')},
        std::vector<std::string>(17, "192.0.2.1")}) {
    CHECK_THAT(create(wrong), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  const NewAccessToken made = create({"192.0.2.0/24", "2001:db8::/32"}).value();
  const auto code_from = [&](const char* address) {
    return backend.tokens->Use(made.secret, address).status().code();
  };
  for (int round = 0; round < 2; ++round) {
    for (const char* other : {"198.51.100.7", "192.0.3.1", "2001:db9::1", "",
                              "192.0.2.7, 1.2.3.4", "::ffff:198.51.100.7"}) {
      INFO(other);
      CHECK(code_from(other) == absl::StatusCode::kPermissionDenied);
    }
    for (const char* own : {"192.0.2.7", "::ffff:192.0.2.7", "2001:db8:1::1"}) {
      INFO(own);
      CHECK(code_from(own) == absl::StatusCode::kOk);
    }
    // A refused use is no use, and the audit log learns whose token it was.
    CHECK(code_from("198.51.100.7") == absl::StatusCode::kPermissionDenied);
    CHECK(backend.tokens->Of(kAda.uid)[0].used_from == "2001:db8:1::1");
    const absl::Status refused =
        backend.tokens->Use(made.secret, "198.51.100.7").status();
    CHECK(std::string(*refused.GetPayload(kRefusedOwnerPayload)) ==
          "token-" + made.token.id + " 20001 ada");
    CHECK(refused.message().find("ada") == absl::string_view::npos);
    backend.Restart();
  }
  CHECK(backend.tokens->Of(kAda.uid)[0].addresses ==
        std::vector<std::string>{"192.0.2.0/24", "2001:db8::/32"});
}

TEST_CASE("tokens: a person has a bounded number of them", "[backend]") {
  Backend backend;
  std::atomic<int> made = 0;
  std::vector<std::thread> makers;
  for (int i = 0; i < 8; ++i) {
    makers.emplace_back([&] { made += backend.Create().ok() ? 1 : 0; });
  }
  for (std::thread& maker : makers) maker.join();
  CHECK(made == 3);
  CHECK_THAT(backend.Create(), StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK_THAT(backend.Create(kBob), IsOk());
  CHECK_THAT(
      backend.tokens->Revoke(kAda.uid, backend.tokens->Of(kAda.uid)[0].id),
      IsOk());
  CHECK_THAT(backend.Create(), IsOk());
}

TEST_CASE("tokens: the refusal of one too many names the limit", "[backend]") {
  const auto code = absl::StatusCode::kResourceExhausted;
  Backend backend;
  backend.config.max_per_user = 0;
  CHECK_THAT(backend.Create(), StatusIs(code, "does not allow access tokens"));
  backend.config.max_per_user = 1;
  REQUIRE_THAT(backend.Create(), IsOk());
  CHECK_THAT(backend.Create(), StatusIs(code, "you have one access token"));
  backend.config.max_per_user = 2;
  REQUIRE_THAT(backend.Create(), IsOk());
  CHECK_THAT(backend.Create(), StatusIs(code, "you have 2 access tokens"));
}

TEST_CASE("tokens: a user cannot revoke another user's token", "[backend]") {
  Backend backend;
  const NewAccessToken made = backend.Create().value();
  CHECK_THAT(backend.tokens->Revoke(kBob.uid, made.token.id),
             StatusIs(absl::StatusCode::kNotFound));
  CHECK_THAT(backend.tokens->Revoke(kAda.uid, "nothing"),
             StatusIs(absl::StatusCode::kNotFound));
  CHECK(backend.Try(made.secret) == absl::StatusCode::kOk);
  CHECK(backend.tokens->Of(kBob.uid).empty());
}

TEST_CASE("tokens: a revoked token is refused from the next call on",
          "[backend]") {
  Backend backend;
  std::vector<SessionId> heard;
  backend.tokens->OnEnd(
      [&](const EndedSession& ended) { heard.push_back(ended.id); });
  const NewAccessToken made = backend.Create().value();
  const SessionId id = SessionIdOf(made.token.id);
  CHECK(IsTokenSession(id));
  CHECK(backend.tokens->IsLive(id));
  CHECK_THAT(backend.tokens->Revoke(kAda.uid, made.token.id), IsOk());
  CHECK(heard == std::vector<SessionId>{id});
  CHECK(backend.Try(made.secret) == kNo);
  CHECK_FALSE(backend.tokens->IsLive(id));
  CHECK_THAT(backend.tokens->Revoke(kAda.uid, made.token.id),
             StatusIs(absl::StatusCode::kNotFound));
  backend.Restart();
  CHECK(backend.Try(made.secret) == kNo);
  REQUIRE(backend.tokens->Ended().size() == 1);
  CHECK(backend.tokens->Ended()[0].id == id);
  backend.clock.Advance(AccessTokens::kLongestUse);
  backend.tokens->Sweep();
  CHECK(backend.tokens->Ended().empty());
  CHECK(backend.Ask("SELECT id FROM access_tokens").empty());
}

TEST_CASE(
    "tokens: a suspended token is refused until it is reinstated, also after "
    "restarts",
    "[backend]") {
  Backend backend;
  const NewAccessToken nightly = backend.Create().value();
  const NewAccessToken other = backend.Create().value();
  const NewAccessToken of_bob = backend.Create(kBob).value();
  const SessionId id = SessionIdOf(nightly.token.id);
  std::vector<SessionId> ended, back;
  const auto listen = [&] {
    backend.tokens->OnEnd(
        [&](const EndedSession& one) { ended.push_back(one.id); });
    backend.tokens->OnReinstated(
        [&](const SessionId& one) { back.push_back(one); });
  };
  const auto suspend = [&](bool really) {
    return backend.tokens->Suspend(kAda.uid, [&](const AccessToken& token) {
      return really && token.id == nightly.token.id;
    });
  };
  listen();
  CHECK(suspend(true) == 1);
  CHECK(suspend(true) == 0);
  backend.Restart();
  listen();
  CHECK(ended == std::vector<SessionId>{id});
  CHECK_FALSE(backend.tokens->IsLive(id));
  CHECK(backend.tokens->IsLive(SessionIdOf(other.token.id)));
  CHECK(backend.tokens->IsLive(SessionIdOf(of_bob.token.id)));
  REQUIRE(backend.tokens->Ended().size() == 1);
  CHECK(backend.tokens->Ended()[0].forget_after ==
        backend.clock.Now() + AccessTokens::kLongestUse);
  CHECK(suspend(false) == 0);
  CHECK(back == std::vector<SessionId>{id});
  backend.Restart();
  CHECK(backend.tokens->IsLive(id));
  CHECK(backend.tokens->Ended().empty());
}

TEST_CASE("tokens: a suspension is effective even if the disk fails",
          "[backend]") {
  Backend backend;
  const SessionId id = SessionIdOf(backend.Create().value().token.id);
  backend.Ask("PRAGMA query_only=ON");
  CHECK(backend.tokens->Suspend(kAda.uid,
                                [](const AccessToken&) { return true; }) == 1);
  CHECK_FALSE(backend.tokens->IsLive(id));
  backend.Ask("PRAGMA query_only=OFF");
  backend.tokens->Sweep();
  backend.Restart();
  CHECK_FALSE(backend.tokens->IsLive(id));
}

TEST_CASE("tokens: a revocation is effective even if the disk fails",
          "[backend]") {
  Backend backend;
  const NewAccessToken made = backend.Create().value();
  backend.Ask("PRAGMA query_only=ON");
  CHECK_FALSE(backend.tokens->Revoke(kAda.uid, made.token.id).ok());
  CHECK(backend.Try(made.secret) == kNo);
  CHECK_FALSE(backend.Create().ok());
  backend.Ask("PRAGMA query_only=OFF");
  backend.tokens->Sweep();
  backend.Restart();
  CHECK(backend.Try(made.secret) == kNo);
}

TEST_CASE("tokens: used while they are revoked, none works afterwards",
          "[backend]") {
  Backend backend;
  for (int round = 0; round < 20; ++round) {
    const NewAccessToken made = backend.Create().value();
    std::atomic<bool> revoked = false;
    std::atomic<int> late = 0;
    std::vector<std::thread> users;
    for (int i = 0; i < 4; ++i) {
      users.emplace_back([&] {
        bool was_revoked = false;
        while (!was_revoked) {
          was_revoked = revoked;
          if (backend.Try(made.secret) == absl::StatusCode::kOk &&
              was_revoked) {
            ++late;
          }
        }
      });
    }
    CHECK_THAT(backend.tokens->Revoke(kAda.uid, made.token.id), IsOk());
    revoked = true;
    for (std::thread& user : users) user.join();
    CHECK(late == 0);
  }
}

TEST_CASE("tokens: one ends by its expiry", "[backend]") {
  Backend backend;
  const NewAccessToken made =
      backend.Create(kAda, kRead, absl::Hours(2)).value();
  backend.clock.Advance(absl::Hours(2) - absl::Seconds(1));
  CHECK(backend.Try(made.secret) == absl::StatusCode::kOk);
  backend.clock.Advance(absl::Seconds(1));
  CHECK(backend.Try(made.secret) == kNo);
  CHECK_FALSE(backend.tokens->IsLive(SessionIdOf(made.token.id)));
  CHECK(backend.tokens->Of(kAda.uid).empty());
  backend.tokens->Sweep();
  CHECK(backend.Try(made.secret) == kNo);
  CHECK(backend.Ask("SELECT id FROM access_tokens").empty());
}

TEST_CASE("tokens: they survive a restart, with their last use", "[backend]") {
  Backend backend;
  const NewAccessToken made =
      backend.Create(kAda, {"jobs:write", "jobs:read"}).value();
  backend.Restart();
  CHECK_FALSE(backend.tokens->Of(kAda.uid)[0].used_at);
  CHECK(backend.Try(made.secret) == absl::StatusCode::kOk);
  const absl::Time used = backend.clock.Now();
  backend.tokens->Sweep();
  backend.clock.Advance(absl::Seconds(59));
  CHECK(backend.Try(made.secret) == absl::StatusCode::kOk);
  backend.tokens->Sweep();  // less than a minute later: not written
  backend.Restart();
  const std::vector<AccessToken> list = backend.tokens->Of(kAda.uid);
  REQUIRE(list.size() == 1);
  CHECK(list[0].name == "nightly");
  CHECK(list[0].scopes == std::vector<std::string>{"jobs:read", "jobs:write"});
  CHECK(list[0].used_at == used);
  CHECK(list[0].used_from == "192.0.2.9");
  CHECK(list[0].expires_at == made.token.expires_at);
}

TEST_CASE("tokens: all of a person go at once", "[backend]") {
  Backend backend;
  const NewAccessToken first = backend.Create().value();
  const NewAccessToken second = backend.Create().value();
  const NewAccessToken bobs = backend.Create(kBob).value();
  CHECK(backend.tokens->RevokeAllOf(kAda.uid) == 2);
  CHECK(backend.Try(first.secret) == kNo);
  CHECK(backend.Try(second.secret) == kNo);
  CHECK(backend.Try(bobs.secret) == absl::StatusCode::kOk);
}

}  // namespace
}  // namespace carme::backend
