#include "backend/audit/archive/archiving.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "backend/audit/archive/archive_file.h"
#include "backend/audit/verification.h"
#include "common/file.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// A log with an entry an hour, and a carmectl beside the backend.
class World : public AuditWorld {
 public:
  void Write(int count) {
    for (int i = 0; i < count; ++i) {
      AuditEvent event = Allowed("log-in");
      event.result = "\"\\ \xc3\xa4 {" + std::to_string(i) + "}";
      log->Record(event);
      clock.Advance(absl::Hours(1));
    }
    REQUIRE_THAT(log->RecordNow(Allowed("log-in")), IsOk());
  }
  absl::StatusOr<ArchiveDone> Archive(const std::string& name,
                                      absl::Duration age,
                                      const std::string& known = "") {
    return ArchiveAudit(other.get(), {.file = directory.File(name),
                                      .before = clock.Now() - age,
                                      .known = known,
                                      .actor = "root",
                                      .actor_uid = Uid(0),
                                      .now = clock.Now()});
  }
  AuditVerification Verify(const std::string& known = "") {
    return VerifyAudit(database.get(), known, [] { return absl::OkStatus(); })
        .value();
  }
  int64_t Rows() {
    int64_t rows = -1;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement read = db.Prepare("SELECT count(*) FROM audit").value();
      REQUIRE(read.Step().value());
      rows = read.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return rows;
  }
  void Forge(const std::string& sql) {
    for (const char* trigger : {"audit_keeps", "audit_grows"}) {
      RunSql(database.get(), std::string("DROP TRIGGER IF EXISTS ") + trigger)
          .IgnoreError();
    }
    REQUIRE_THAT(RunSql(database.get(), sql), IsOk());
  }
  bool Has(const std::string& name) const {
    return access(directory.File(name).c_str(), F_OK) == 0;
  }

  std::unique_ptr<Database> other =
      Database::OpenExisting(directory.File("carme.db"), Migrations()).value();
};

TEST_CASE("archive: a chain that does not verify is not touched", "[audit]") {
  World world;
  world.Write(50);
  const std::string known = world.log->Head().hash;
  CHECK_THAT(world.Archive("a", absl::Hours(10), std::string(32, 'x')).status(),
             StatusIs(absl::StatusCode::kDataLoss));
  world.Forge("UPDATE audit SET actor = 'bob' WHERE sequence = 45");
  const absl::Status status =
      world.Archive("a", absl::Hours(10), known).status();
  CHECK_THAT(status, StatusIs(absl::StatusCode::kDataLoss));
  CHECK(status.message().find("entry 45 does not match its hash") !=
        std::string::npos);
  CHECK(world.Rows() == 51);
  CHECK_FALSE(world.Has("a"));
  CHECK_FALSE(world.Has("a.part"));
}

TEST_CASE("archive: refuses an existing file and keeps all entries",
          "[audit]") {
  World world;
  world.Write(50);
  REQUIRE_THAT(WriteFile(world.directory.File("a"), "mine", 0600), IsOk());
  CHECK(absl::IsAlreadyExists(world.Archive("a", absl::Hours(10)).status()));
  REQUIRE_THAT(WriteFile(world.directory.File("b.part"), "half", 0600), IsOk());
  CHECK_FALSE(world.Archive("b", absl::Hours(10)).ok());
  CHECK_FALSE(world.Archive("no/such/folder", absl::Hours(10)).ok());
  CHECK(world.Rows() == 51);
  CHECK(ReadFile(world.directory.File("a")).value() == "mine");
}

TEST_CASE("archive: entries that were not archived cannot be deleted",
          "[audit]") {
  World world;
  world.Write(50);
  CHECK_FALSE(RunSql(world.database.get(),
                     "INSERT INTO audit_archives VALUES (20, x'00', 'a', 0)")
                  .ok());
  REQUIRE_THAT(world.Archive("a", absl::Hours(10)), IsOk());
  for (const char* sql :
       {"DELETE FROM audit WHERE sequence = 45", "DELETE FROM audit_archives",
        "UPDATE audit_archives SET upto = 45"}) {
    INFO(sql);
    CHECK_FALSE(RunSql(world.database.get(), sql).ok());
  }
}

TEST_CASE("archive: moves old entries and records it in the log", "[audit]") {
  World world;
  world.Write(50);
  const ChainHead before = world.log->Head();
  const ArchiveDone done = world.Archive("a", absl::Hours(10)).value();
  CHECK(done.begin == ChainHead());
  CHECK(done.end.sequence == 40);
  struct stat file {};
  REQUIRE(stat(world.directory.File("a").c_str(), &file) == 0);
  CHECK((file.st_mode & 07777) == 0600);
  const auto left =
      ReadPiece(world.database.get(), {}, AuditOrder::kOldestFirst, kOldest)
          ->entries;
  REQUIRE(left.size() == 12);
  CHECK(left.front().sequence == 41);
  CHECK(left.back().act == "archive-audit");
  CHECK(left.back().actor == "root");
  CHECK(left.back().subject == "a");
  CHECK(left.back().result.find("ok: entries 1 to 40, hash ") == 0);
  const AuditVerification verdict = world.Verify(before.hash);
  CHECK(verdict.broken_at == 0);
  CHECK(verdict.begin == done.end);
  CHECK(verdict.entries == 12);
  CHECK(verdict.known_at == 51);
  // Nothing more is old enough.
  CHECK(world.Archive("b", absl::Hours(10))->end == done.end);
  CHECK_FALSE(world.Has("b"));
}

TEST_CASE("archive: a running backend continues", "[audit]") {
  World world;
  world.Write(50);
  REQUIRE_THAT(world.Archive("a", absl::Hours(10)), IsOk());
  CHECK_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  CHECK_THAT(world.log->Ready(), IsOk());
  CHECK(world.Verify(world.log->Head().hash).broken_at == 0);
  world.Restart();
  CHECK(world.log->Head().sequence == 53);
}

TEST_CASE("archive: a clock that was set back archives less, not more",
          "[audit]") {
  World world;
  world.Write(20);
  world.clock.Advance(-absl::Hours(100));
  world.Write(20);
  world.clock.Advance(absl::Hours(100));
  // The entries of the second half are older, and behind younger ones.
  CHECK(world.Archive("a", absl::Hours(30))->end.sequence == 10);
  CHECK(world.Verify().broken_at == 0);
}

TEST_CASE("archive: the file proves itself", "[audit]") {
  World world;
  world.Write(50);
  const std::string known =
      ReadPiece(world.database.get(), {}, AuditOrder::kOldestFirst, 6, 1)
          ->entries.at(0)
          .hash;
  const ArchiveDone done = world.Archive("a", absl::Hours(10)).value();
  const std::string path = world.directory.File("a");
  const ArchiveFacts facts =
      ReadArchive(path, {.next = done.end.hash, .known = known}).value();
  CHECK(facts.end == done.end);
  CHECK(facts.has_next);
  CHECK(facts.has_known);
  const std::string good = ReadFile(path).value();
  CHECK(std::count(good.begin(), good.end(), '\n') == 42);

  const auto fault = [&](const std::string& bytes) {
    REQUIRE_THAT(WriteFile(path, bytes, 0600), IsOk());
    return std::string(ReadArchive(path, {}).status().message());
  };
  std::string changed = good;
  changed.replace(changed.find("{7}"), 3, "{8}");
  CHECK(fault(changed).find("line 9: entry 8 does not match its hash") !=
        std::string::npos);
  const size_t last = good.rfind('\n', good.size() - 2);
  CHECK(fault(good.substr(0, last + 1)).find("the end is missing") !=
        std::string::npos);
  const size_t line = good.find("{\"sequence\":\"20\"");
  CHECK(fault(good.substr(0, line) + good.substr(good.find('\n', line) + 1))
            .find("expected 20") != std::string::npos);
  CHECK(fault(good + good).find("the end differs from the last line") !=
        std::string::npos);
  CHECK(fault("{\n").find("line 1: expected an entry") != std::string::npos);
  CHECK(fault("").find("the end is missing") != std::string::npos);
  CHECK(fault(good).empty());
}

TEST_CASE("archive: detects a beginning that was cut off", "[audit]") {
  World world;
  world.Write(50);
  world.Forge(
      "INSERT INTO audit_archives SELECT sequence, hash, 'a', 0 "
      "FROM audit WHERE sequence = 30");
  REQUIRE_THAT(
      RunSql(world.database.get(), "DELETE FROM audit WHERE sequence <= 30"),
      IsOk());
  const AuditVerification verdict = world.Verify();
  CHECK(verdict.broken_at == 30);
  CHECK(verdict.why.find("no entry mentions the archive") != std::string::npos);
}

TEST_CASE("archive: detects an entry inserted before the beginning",
          "[audit]") {
  World world;
  world.Write(50);
  REQUIRE_THAT(world.Archive("a", absl::Hours(10)), IsOk());
  REQUIRE_THAT(RunSql(world.database.get(),
                      "INSERT INTO audit SELECT 7, at, act, 'eve', actor_uid, "
                      "subject, decision, result, source, machine, request_id, "
                      "session_id, hash FROM audit WHERE sequence = 41"),
               IsOk());
  CHECK(world.Verify().broken_at == 7);
}

// Ends when it is killed, or all is archived.
[[noreturn]] void ArchiveAndExit(const std::string& path,
                                 const std::string& file) {
  auto database = Database::OpenExisting(path, Migrations()).value();
  const absl::Time now = FakeClock().Now();
  ArchiveAudit(database.get(), {.file = file,
                                .before = now + absl::Hours(1),
                                .actor = "root",
                                .actor_uid = Uid(0),
                                .now = now + absl::Hours(1)})
      .IgnoreError();
  _exit(0);
}

TEST_CASE("archive: killed at any moment, it loses no entry", "[audit]") {
  for (int round = 0; round < 8; ++round) {
    World world;
    std::vector<AuditEntry> batch(1000, AuditEntry{.act = "log-in"});
    ChainHead head;
    for (int i = 0; i < 25; ++i) {
      for (AuditEntry& entry : batch) {
        entry.sequence = ++head.sequence;
        entry.hash = head.hash = ChainHash(head.hash, entry);
      }
      REQUIRE_THAT(AppendEntries(world.database.get(), batch), IsOk());
    }
    world.log.reset();
    world.other.reset();
    world.database.reset();
    const std::string path = world.directory.File("carme.db");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) ArchiveAndExit(path, world.directory.File("a"));
    absl::SleepFor(absl::Milliseconds(150 * round));
    testing::Signal(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);

    world.database = Database::Open(path, Migrations()).value();
    const AuditVerification verdict = world.Verify();
    CHECK(verdict.broken_at == 0);
    if (verdict.begin.sequence == 0) {
      CHECK(verdict.entries == 25000);
      continue;
    }
    // What left the table is in the file, which leads to what is there.
    const auto facts =
        ReadArchive(world.directory.File("a"), {.next = verdict.begin.hash});
    REQUIRE_THAT(facts, IsOk());
    CHECK(facts->has_next);
    CHECK(facts->end.sequence == 25000);
    CHECK(verdict.begin.sequence + verdict.entries == 25001);
  }
}

}  // namespace
}  // namespace carme::backend
