#include "backend/clusters/assertion_authenticator.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/protobuf/error_details.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;
constexpr auto kDenied = absl::StatusCode::kPermissionDenied;

// The backend of the further cluster "beta", with its own directory.
struct Beta {
  FakeClock clock;
  SigningKey key = SigningKey::FromSeed(std::string(32, 'a')).value();
  AssertionSigner identity_backend{key, {"beta"}, &clock};
  FakeDirectory directory;
  DirectoryCache directory_cache{&directory, &clock};
  absl::Status recorded = absl::OkStatus();
  std::vector<std::string> first_uses;
  std::vector<std::string> ended;
  std::vector<std::string> restored;
  AssertionAuthenticator sessions{
      {.verifier = AssertionVerifier(
           VerifyingKey::FromRaw(key.PublicKey()).value(), "beta"),
       .directory_cache = &directory_cache,
       .clock = &clock,
       .on_first_use = [this](const Person& person) {
         first_uses.push_back(person.username);
         return recorded;
       }}};

  Beta() {
    sessions.OnEnd([this](const EndedSession& session) {
      ended.push_back(session.id.value());
    });
    sessions.OnRestored(
        [this](const SessionId& id) { restored.push_back(id.value()); });
  }
  std::string Assert(const std::string& name, const std::string& id = "s1") {
    Session session;
    session.id = SessionId(id);
    session.username = name;
    session.uid = Uid(1);
    session.role = Role::kAdmin;
    session.created_at = clock.Now();
    session.expires_at = clock.Now() + absl::Hours(1);
    return identity_backend.Sign(session, "beta").value().text;
  }
  absl::StatusOr<Session> Try(const std::string& name,
                              const std::string& id = "s1") {
    return sessions.Authenticate(Assert(name, id), "192.0.2.1");
  }
  EndedSession End(const std::string& id) {
    return {SessionId(id), clock.Now() + absl::Hours(1)};
  }
};

TEST_CASE("assertion authenticator: refuses what is no assertion",
          "[backend]") {
  Beta beta;
  for (const char* text : {"", "token-of-ada", "carme_0123456789"}) {
    CHECK_THAT(beta.sessions.Authenticate(text, "").status(),
               StatusIs(kUnauthenticated));
  }
  CHECK(beta.first_uses.empty());
}

TEST_CASE("assertion authenticator: refuses users of another directory",
          "[backend]") {
  Beta beta;
  beta.directory.SetPerson("ada", absl::NotFoundError("unknown"));
  CHECK_THAT(beta.Try("ada").status(), StatusIs(kDenied, "beta"));
  // A directory that ignores case.
  beta.directory.SetPerson("Bob", FakeDirectory::Named("bob"));
  CHECK_THAT(beta.Try("Bob").status(), StatusIs(kDenied, "beta"));
  beta.directory.SetPerson("carol", absl::UnavailableError("no response"));
  CHECK_THAT(beta.Try("carol").status(),
             StatusIs(absl::StatusCode::kUnavailable));
  CHECK(beta.first_uses.empty());
}

TEST_CASE("assertion authenticator: refuses a user who is not recorded",
          "[backend]") {
  Beta beta;
  beta.recorded = absl::UnavailableError("the disk is full");
  CHECK_THAT(beta.Try("ada").status(),
             StatusIs(absl::StatusCode::kUnavailable));
  beta.recorded = absl::OkStatus();
  CHECK_THAT(beta.Try("ada"), IsOk());
  CHECK_THAT(beta.Try("ada"), IsOk());
  CHECK(beta.first_uses.size() == 2);
}

TEST_CASE("assertion authenticator: refuses a name that got another uid",
          "[backend]") {
  Beta beta;
  REQUIRE_THAT(beta.Try("ada"), IsOk());
  Person other = FakeDirectory::Named("ada");
  other.uid = Uid(30001);
  beta.directory.SetPerson("ada", other);
  beta.clock.Advance(DirectoryCache::kFreshFor);
  CHECK_THAT(beta.Try("ada").status(), StatusIs(kDenied));
  beta.sessions.Recheck();
  CHECK(beta.ended == std::vector<std::string>{"s1"});
}

TEST_CASE("assertion authenticator: uid and role are of its own directory",
          "[backend]") {
  Beta beta;
  beta.directory.SetPerson("ada", FakeDirectory::Named("ada", Role::kSupport));
  const Session session = beta.Try("ada").value();
  CHECK(session.uid == Uid(20001));
  CHECK(session.role == Role::kSupport);
  CHECK(session.display_name == "Dr. ada");
  beta.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  beta.clock.Advance(DirectoryCache::kFreshFor);
  CHECK(beta.Try("ada").value().role == Role::kUser);
}

TEST_CASE("assertion authenticator: an ended session is refused at once",
          "[backend]") {
  Beta beta;
  REQUIRE_THAT(beta.Try("ada", "s1"), IsOk());
  REQUIRE_THAT(beta.Try("ada", "s2"), IsOk());
  beta.sessions.Apply({beta.End("s1")}, {});
  CHECK_THAT(beta.Try("ada", "s1").status(), StatusIs(kUnauthenticated));
  CHECK(ErrorReason(beta.Try("ada", "s1").status()) == "SESSION_INVALID");
  CHECK_FALSE(beta.sessions.IsLive(SessionId("s1")));
  CHECK_THAT(beta.Try("ada", "s2"), IsOk());
  CHECK(beta.sessions.IsLive(SessionId("s2")));
  // The next snapshot has it, too.
  beta.sessions.Apply({beta.End("s1")}, {});
  CHECK(beta.ended == std::vector<std::string>{"s1"});
}

TEST_CASE("assertion authenticator: ends sessions that were not used here",
          "[backend]") {
  Beta beta;  // restarted: apps may be open
  beta.sessions.Apply({beta.End("s1")}, {});
  CHECK(beta.ended == std::vector<std::string>{"s1"});
  CHECK(beta.sessions.Ended().size() == 1);
  beta.clock.Advance(absl::Hours(1));
  beta.sessions.Apply({}, {});
  CHECK(beta.sessions.Ended().empty());
}

TEST_CASE("assertion authenticator: only a restored session is valid again",
          "[backend]") {
  Beta beta;
  beta.sessions.Apply({beta.End("s1"), beta.End("s2")}, {});
  beta.sessions.Apply({}, {SessionId("s1"), SessionId("s3")});
  CHECK_THAT(beta.Try("ada", "s1"), IsOk());
  CHECK_THAT(beta.Try("ada", "s2").status(), StatusIs(kUnauthenticated));
  CHECK(beta.restored == std::vector<std::string>{"s1"});
}

TEST_CASE("assertion authenticator: a session lives until its expiry",
          "[backend]") {
  Beta beta;
  CHECK_FALSE(beta.sessions.IsLive(SessionId("s1")));
  REQUIRE_THAT(beta.Try("ada", "s1"), IsOk());
  beta.clock.Advance(absl::Hours(1) - absl::Seconds(1));
  CHECK(beta.sessions.IsLive(SessionId("s1")));
  beta.clock.Advance(absl::Seconds(1));
  CHECK_FALSE(beta.sessions.IsLive(SessionId("s1")));
}

TEST_CASE("assertion authenticator: opens apps only with the identity backend",
          "[backend]") {
  Beta beta;
  CHECK_THAT(beta.sessions.CheckGrants(),
             StatusIs(absl::StatusCode::kUnavailable));
  beta.sessions.Apply({}, {});
  CHECK_THAT(beta.sessions.CheckGrants(), IsOk());
  beta.clock.Advance(AssertionAuthenticator::kMaxSilence -
                     absl::Milliseconds(1));
  CHECK_THAT(beta.sessions.CheckGrants(), IsOk());
  beta.clock.Advance(absl::Milliseconds(1));
  CHECK_THAT(beta.sessions.CheckGrants(),
             StatusIs(absl::StatusCode::kUnavailable, "beta"));
}

TEST_CASE("assertion authenticator: apps close when the directory denies",
          "[backend]") {
  Beta beta;
  REQUIRE_THAT(beta.Try("ada"), IsOk());
  beta.directory.SetPerson("ada", absl::UnavailableError("no response"));
  beta.clock.Advance(DirectoryCache::kStaleFor);
  beta.sessions.Recheck();
  CHECK(beta.ended.empty());
  beta.directory.SetPerson("ada", absl::NotFoundError("left"));
  beta.clock.Advance(DirectoryCache::kRetryAfter);
  beta.sessions.Recheck();
  CHECK(beta.ended == std::vector<std::string>{"s1"});
  CHECK_FALSE(beta.sessions.IsLive(SessionId("s1")));
  beta.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  beta.clock.Advance(DirectoryCache::kRetryAfter);
  beta.sessions.Recheck();
  CHECK(beta.restored == std::vector<std::string>{"s1"});
  CHECK(beta.sessions.IsLive(SessionId("s1")));
}

TEST_CASE("assertion authenticator: cannot change sessions", "[backend]") {
  Beta beta;
  CHECK_THAT(beta.sessions.End(SessionId("s1")),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK_THAT(beta.sessions.Refresh(SessionId("s1"), beta.clock.Now()),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace carme::backend
