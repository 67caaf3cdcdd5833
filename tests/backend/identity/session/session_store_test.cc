#include "backend/identity/session/session_store.h"

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

const Person kAda = {.username = "ada",
                     .display_name = "Dr. ada",
                     .uid = Uid(20001),
                     .role = Role::kAdmin};

struct Backend {
  TempDir dir;
  FakeClock clock;
  SessionsConfig config = {.idle_timeout = absl::Hours(1),
                           .absolute_timeout = absl::Hours(8)};
  std::unique_ptr<Database> database;
  std::unique_ptr<SessionStore> sessions;

  Backend() { Restart(); }
  void Restart() {
    sessions.reset();
    database.reset();
    database = Database::Open(dir.File("db"), Migrations()).value();
    sessions = SessionStore::Load(database.get(), &clock, &config).value();
  }
  NewSession Begin(const std::string& name = "ada") {
    Person person = kAda;
    person.username = name;
    if (name != "ada") person.uid = Uid(20002);
    return sessions
        ->Begin(person, "192.0.2.1",
                "Mozilla/5.0 (X11; Linux x86_64) Firefox/1")
        .value();
  }
  absl::StatusCode Try(const std::string& token) {
    return sessions->Authenticate(token, "192.0.2.2").status().code();
  }
  // The first column of the only row.
  std::string Ask(const std::string& sql) {
    std::string answer;
    const absl::Status lookups = database->Query([&](Database& db) {
      Statement read = db.Prepare(sql).value();
      if (read.Step().value()) answer = read.Blob(0);
      return absl::OkStatus();
    });
    REQUIRE_THAT(lookups, IsOk());
    return answer;
  }
};

TEST_CASE("sessions: refuses malformed tokens", "[backend]") {
  Backend backend;
  backend.Begin();
  CHECK(backend.Try("") == kNo);
  CHECK(backend.Try("x") == kNo);
  CHECK(backend.Try(std::string(43, 'A')) == kNo);
}

TEST_CASE("sessions: refuses the hash of a token", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  const std::string stored = backend.Ask("SELECT token_hash FROM sessions");
  CHECK(stored == Sha256(made.token));
  CHECK(backend.Try(stored) == kNo);
}

TEST_CASE("sessions: the disk contains no part of a token", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  CHECK(made.token.size() == 43);
  CHECK(backend.Ask("SELECT count(*) FROM sessions WHERE id = '" + made.token +
                    "' OR token_hash = '" + made.token + "'") == "0");
}

TEST_CASE("sessions: the token is invalid immediately after the logout",
          "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  const NewSession other = backend.Begin();
  CHECK_THAT(backend.sessions->End(made.session.id), IsOk());
  CHECK(backend.Try(made.token) == kNo);
  CHECK_FALSE(backend.sessions->IsLive(made.session.id));
  CHECK(backend.Try(other.token) == absl::StatusCode::kOk);
  CHECK_THAT(backend.sessions->End(made.session.id), IsOk());
  backend.Restart();
  CHECK(backend.Try(made.token) == kNo);
  CHECK(backend.Try(other.token) == absl::StatusCode::kOk);
}

TEST_CASE("sessions: too long without a call ends it", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  backend.clock.Advance(absl::Hours(1) - absl::Seconds(1));
  CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
  backend.clock.Advance(absl::Hours(1));
  CHECK(backend.Try(made.token) == kNo);
  CHECK_FALSE(backend.sessions->IsLive(made.session.id));
}

TEST_CASE("sessions: end at the absolute limit even if active", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  for (int i = 0; i < 16; ++i) {
    CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
    backend.clock.Advance(absl::Minutes(30));
  }
  CHECK(backend.Try(made.token) == kNo);
}

TEST_CASE("sessions: a validity check does not extend them", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  for (int i = 0; i < 4; ++i) {
    backend.clock.Advance(absl::Minutes(15));
    backend.sessions->IsLive(made.session.id);
  }
  CHECK(backend.Try(made.token) == kNo);
}

TEST_CASE("sessions: they survive a restart, idle time included", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  backend.clock.Advance(absl::Minutes(40));
  CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
  backend.sessions->Sweep();
  backend.Restart();
  backend.clock.Advance(absl::Minutes(40));
  const auto session = backend.sessions->Authenticate(made.token, "192.0.2.2");
  REQUIRE_THAT(session, IsOk());
  CHECK(session->id == made.session.id);
  CHECK(session->username == "ada");
  CHECK(session->display_name == "Dr. ada");
  CHECK(session->uid == Uid(20001));
  CHECK(session->role == Role::kAdmin);
  CHECK(session->expires_at == made.session.expires_at);
  backend.clock.Advance(absl::Hours(1));
  backend.Restart();
  CHECK(backend.Try(made.token) == kNo);
}

TEST_CASE("sessions: a use is written at most once a minute", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  const std::string begun = backend.Ask("SELECT used_at FROM sessions");
  backend.clock.Advance(absl::Seconds(59));
  CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
  backend.sessions->Sweep();
  CHECK(backend.Ask("SELECT used_at FROM sessions") == begun);
  backend.clock.Advance(absl::Seconds(1));
  CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
  CHECK(backend.Ask("SELECT used_at FROM sessions") == begun);
  backend.sessions->Sweep();
  CHECK(backend.Ask("SELECT used_at FROM sessions") != begun);
}

TEST_CASE("sessions: a list is of one person, the one used last first",
          "[backend]") {
  Backend backend;
  const NewSession first = backend.Begin();
  const NewSession second = backend.Begin();
  backend.Begin("bob");
  backend.clock.Advance(absl::Seconds(1));
  CHECK(backend.Try(first.token) == absl::StatusCode::kOk);
  const std::vector<SessionUse> list = backend.sessions->Of(kAda.uid);
  REQUIRE(list.size() == 2);
  CHECK(list[0].session.id == first.session.id);
  CHECK(list[0].device == "Firefox on Linux");
  CHECK(list[0].address == "192.0.2.1");
  CHECK(list[0].last_address == "192.0.2.2");
  CHECK(list[0].used_at == backend.clock.Now());
  CHECK(list[1].last_address == "192.0.2.1");
  CHECK(backend.sessions->Of(Uid(20003)).empty());
}

TEST_CASE("sessions: ends all sessions of a user except one", "[backend]") {
  Backend backend;
  int heard = 0;
  backend.sessions->OnEnd([&](const EndedSession&) { ++heard; });
  const NewSession kept = backend.Begin();
  const NewSession other = backend.Begin();
  const NewSession bob = backend.Begin("bob");
  CHECK(backend.sessions->EndAllOf(kAda.uid, kept.session.id) == 1);
  CHECK(heard == 1);
  CHECK(backend.Try(other.token) == kNo);
  CHECK(backend.Try(kept.token) == absl::StatusCode::kOk);
  CHECK(backend.sessions->EndAllOf(kAda.uid) == 1);
  CHECK(backend.Try(bob.token) == absl::StatusCode::kOk);
  backend.Restart();
  CHECK(backend.Try(kept.token) == kNo);
  CHECK(backend.Try(bob.token) == absl::StatusCode::kOk);
}

TEST_CASE("sessions: a factor is fresh after the login, and when refreshed",
          "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  CHECK(made.session.reauthenticated_until ==
        backend.clock.Now() + absl::Minutes(10));
  const absl::Time until = backend.clock.Now() + absl::Minutes(30);
  CHECK_THAT(backend.sessions->Refresh(made.session.id, until), IsOk());
  backend.Restart();
  CHECK(backend.sessions->Authenticate(made.token, "")->reauthenticated_until ==
        until);
  CHECK_THAT(backend.sessions->End(made.session.id), IsOk());
  CHECK_THAT(backend.sessions->Refresh(made.session.id, until), StatusIs(kNo));
}

TEST_CASE("sessions: a new role counts at once and after a restart",
          "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  backend.sessions->SetRole(kAda.uid, Role::kSupport, backend.clock.Now());
  CHECK(backend.sessions->Authenticate(made.token, "")->role == Role::kSupport);
  backend.sessions->Sweep();
  backend.Restart();
  CHECK(backend.sessions->Authenticate(made.token, "")->role == Role::kSupport);
}

TEST_CASE("sessions: a look-up before the login does not change the role",
          "[backend]") {
  Backend backend;
  const absl::Time asked_at = backend.clock.Now() - absl::Seconds(1);
  const NewSession made = backend.Begin();
  backend.sessions->SetRole(kAda.uid, Role::kUser, asked_at);
  CHECK(backend.sessions->Authenticate(made.token, "")->role == Role::kAdmin);
}

TEST_CASE("sessions: one that begins while all are ended does not survive",
          "[backend]") {
  Backend backend;
  std::atomic<bool> done = false;
  std::thread ending([&] {
    while (!done) backend.sessions->EndAllOf(kAda.uid);
  });
  std::vector<NewSession> begun;
  for (int i = 0; i < 50; ++i) {
    auto made = backend.sessions->Begin(kAda, "192.0.2.1", "");
    if (made.ok()) begun.push_back(*std::move(made));
  }
  done = true;
  ending.join();
  backend.sessions->EndAllOf(kAda.uid);
  backend.sessions->Sweep();
  backend.Restart();
  for (const NewSession& made : begun) CHECK(backend.Try(made.token) == kNo);
  CHECK(backend.sessions->Of(kAda.uid).empty());
}

TEST_CASE("sessions: an unknown role on the disk means the lowest",
          "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  backend.Ask("UPDATE sessions SET role='root'");
  backend.Restart();
  CHECK(backend.sessions->Authenticate(made.token, "")->role == Role::kUser);
}

TEST_CASE("sessions: a sweep ends idle sessions and reports them",
          "[backend]") {
  Backend backend;
  std::vector<SessionId> heard;
  backend.sessions->OnEnd(
      [&](const EndedSession& ended) { heard.push_back(ended.id); });
  const NewSession idle = backend.Begin();
  backend.clock.Advance(absl::Minutes(50));
  const NewSession busy = backend.Begin();
  backend.clock.Advance(absl::Minutes(20));
  backend.sessions->Sweep();
  CHECK(heard == std::vector<SessionId>{idle.session.id});
  REQUIRE(backend.sessions->Ended().size() == 1);
  CHECK(backend.sessions->Ended()[0].id == idle.session.id);
  CHECK(backend.sessions->Ended()[0].forget_after == idle.session.expires_at);
  CHECK(backend.Try(busy.token) == absl::StatusCode::kOk);
  backend.sessions->Sweep();
  CHECK(heard.size() == 1);
}

TEST_CASE("sessions: an end is reported once and kept until the expiry",
          "[backend]") {
  Backend backend;
  int heard = 0;
  backend.sessions->OnEnd([&](const EndedSession&) { ++heard; });
  const NewSession made = backend.Begin();
  CHECK_THAT(backend.sessions->End(made.session.id), IsOk());
  CHECK_THAT(backend.sessions->End(made.session.id), IsOk());
  CHECK(heard == 1);
  backend.Restart();
  CHECK(backend.sessions->Ended().size() == 1);
  backend.clock.Advance(absl::Hours(8));
  CHECK(backend.sessions->Ended().empty());
  backend.sessions->Sweep();
  CHECK(backend.Ask("SELECT id FROM sessions").empty());
}

TEST_CASE("sessions: one user's oldest is dropped, others stay", "[backend]") {
  Backend backend;
  const NewSession bob = backend.Begin("bob");
  std::vector<NewSession> made;
  for (size_t i = 0; i <= SessionStore::kMaxPerUser; ++i) {
    made.push_back(backend.Begin());
    backend.clock.Advance(absl::Seconds(1));
  }
  CHECK(backend.Try(made[0].token) == kNo);
  CHECK(backend.Try(made[1].token) == absl::StatusCode::kOk);
  CHECK(backend.Try(bob.token) == absl::StatusCode::kOk);
}

// From here on the disk takes nothing more.
void Fill(Backend* backend) {
  backend->Ask("PRAGMA max_page_count=1");
  REQUIRE_FALSE(
      backend->database
          ->Transact([](Database& db) -> absl::Status {
            auto write = db.Prepare(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n "
                "LIMIT 10000) INSERT INTO recovery_codes SELECT i, "
                "zeroblob(100), 0 FROM n");
            return write->Run();
          })
          .ok());
}

TEST_CASE("sessions: a full disk begins none and ends no one's", "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  Fill(&backend);
  absl::Status begun;
  for (int i = 0; i < 16 && begun.ok(); ++i) {
    Person person = kAda;
    person.username = "user" + std::to_string(i);
    person.display_name = std::string(2000, 'x');
    begun = backend.sessions->Begin(person, "", "").status();
  }
  CHECK_THAT(begun, StatusIs(absl::StatusCode::kResourceExhausted));
  backend.clock.Advance(absl::Minutes(2));
  CHECK(backend.Try(made.token) == absl::StatusCode::kOk);
}

TEST_CASE("sessions: a logout is effective even if the disk fails",
          "[backend]") {
  Backend backend;
  const NewSession made = backend.Begin();
  backend.Ask("PRAGMA query_only=ON");
  CHECK_FALSE(backend.sessions->End(made.session.id).ok());
  CHECK(backend.Try(made.token) == kNo);
  backend.Ask("PRAGMA query_only=OFF");
  backend.sessions->Sweep();
  backend.Restart();
  CHECK(backend.Try(made.token) == kNo);
}

}  // namespace
}  // namespace carme::backend
