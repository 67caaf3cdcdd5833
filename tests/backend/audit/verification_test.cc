#include "backend/audit/verification.h"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/audit/audit_world.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

absl::Status GoOn() { return absl::OkStatus(); }

AuditVerification Verify(AuditWorld& world, const std::string& known = "") {
  return VerifyAudit(world.database.get(), known, GoOn).value();
}

void Write(AuditWorld* world, int count) {
  for (int i = 0; i < count; ++i) world->log->Record(Allowed("log-in"));
  world->Restart();
}

// Changes by an attacker who can write the file.
void Forge(AuditWorld* world, const std::string& sql) {
  world->log.reset();
  REQUIRE_THAT(RunSql(world->database.get(), "DROP TRIGGER audit_keeps"),
               IsOk());
  REQUIRE_THAT(RunSql(world->database.get(), "DROP TRIGGER audit_grows"),
               IsOk());
  REQUIRE_THAT(RunSql(world->database.get(), sql), IsOk());
}

TEST_CASE("verification: an entry that was changed is named", "[audit]") {
  AuditWorld world;
  Write(&world, 2500);
  Forge(&world, "UPDATE audit SET decision='refuse' WHERE sequence = 1700");
  const AuditVerification verdict = Verify(world);
  CHECK(verdict.broken_at == 1700);
  CHECK(verdict.entries == 1699);
  CHECK(verdict.why.substr(0, 10) == "entry 1700");
}

TEST_CASE("verification: an entry that was removed is named", "[audit]") {
  AuditWorld world;
  Write(&world, 2500);
  Forge(&world, "DELETE FROM audit WHERE sequence = 1000");
  CHECK(Verify(world).broken_at == 1001);
}

TEST_CASE("verification: an entry before the first is named", "[audit]") {
  AuditWorld world;
  Write(&world, 2);
  Forge(&world,
        "INSERT INTO audit SELECT -5, at, act, actor, actor_uid, subject, "
        "decision, result, source, machine, request_id, session_id, hash "
        "FROM audit WHERE sequence = 1");
  CHECK(Verify(world).broken_at == -5);
}

TEST_CASE("verification: a truncated end is found with a known hash",
          "[audit]") {
  AuditWorld world;
  Write(&world, 20);
  const std::string known = world.log->Head().hash;
  CHECK(Verify(world, known).known_at == 20);
  Forge(&world, "DELETE FROM audit WHERE sequence > 17");
  CHECK(Verify(world).broken_at == 0);
  const AuditVerification verdict = Verify(world, known);
  CHECK(verdict.broken_at == 18);
  CHECK(verdict.entries == 17);
  CHECK(verdict.known_at == 0);
}

TEST_CASE("verification: an emptied table is found with a known hash",
          "[audit]") {
  AuditWorld world;
  Write(&world, 3);
  const std::string known = world.log->Head().hash;
  Forge(&world, "DELETE FROM audit");
  CHECK(Verify(world, known).broken_at == 1);
}

TEST_CASE("verification: an older known hash is found in a longer chain",
          "[audit]") {
  AuditWorld world;
  Write(&world, 5);
  const std::string known = world.log->Head().hash;
  Write(&world, 5);
  const AuditVerification verdict = Verify(world, known);
  CHECK(verdict.broken_at == 0);
  CHECK(verdict.known_at == 5);
  CHECK(verdict.entries == 10);
  CHECK(verdict.head.hash == world.log->Head().hash);
}

TEST_CASE("verification: an empty log is good", "[audit]") {
  AuditWorld world;
  const AuditVerification verdict = Verify(world, ChainStart());
  CHECK(verdict.broken_at == 0);
  CHECK(verdict.entries == 0);
}

TEST_CASE("verification: ends when it is cancelled", "[audit]") {
  AuditWorld world;
  Write(&world, 1);
  CHECK(VerifyAudit(world.database.get(), "", [] {
          return absl::CancelledError("gone");
        }).status() == absl::CancelledError("gone"));
}

TEST_CASE("verification: 100000 entries need no more memory than a few",
          "[audit]") {
  AuditWorld world;
  ChainHead head;
  for (int i = 0; i < 100; ++i) {
    std::vector<AuditEntry> batch(
        1000, AuditEntry{.act = "submit", .actor = "ada", .result = "ok"});
    for (AuditEntry& entry : batch) {
      entry.sequence = ++head.sequence;
      entry.hash = head.hash = ChainHash(head.hash, entry);
    }
    REQUIRE_THAT(AppendEntries(world.database.get(), batch), IsOk());
  }
  const size_t before = mallinfo2().uordblks;
  size_t max = 0;
  const auto verdict = VerifyAudit(world.database.get(), "", [&] {
    max = std::max(max, mallinfo2().uordblks);
    return absl::OkStatus();
  });
  CHECK(verdict->broken_at == 0);
  CHECK(verdict->entries == 100000);
  // A piece of 1,000 entries, and SQLite's cache of pages (2 MB at most).
  CHECK(max - before < 4'000'000);
}

}  // namespace
}  // namespace carme::backend
