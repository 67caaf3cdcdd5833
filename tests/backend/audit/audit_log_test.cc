#include "backend/audit/audit_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

// A disk that takes no entries.
class BrokenDisk {
 public:
  explicit BrokenDisk(Database* database) : database_(database) {
    REQUIRE_THAT(RunSql(database_,
                        "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN "
                        "SELECT raise(ABORT, 'disk'); END"),
                 IsOk());
  }
  ~BrokenDisk() { RunSql(database_, "DROP TRIGGER broken").IgnoreError(); }

 private:
  Database* const database_;
};

void AwaitReady(AuditLog* log, bool ready) {
  REQUIRE(testing::WaitFor([&] { return log->Ready().ok() == ready; }));
}

bool IsChain(const std::vector<AuditEntry>& entries) {
  ChainCheck check;
  for (const AuditEntry& entry : entries) {
    if (!check.Take(entry).ok()) return false;
  }
  return true;
}

TEST_CASE("audit log: rows can be neither changed nor removed", "[audit]") {
  AuditWorld world;
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  for (const char* sql :
       {"UPDATE audit SET actor = 'bob'", "UPDATE audit SET sequence = 2",
        "DELETE FROM audit"}) {
    INFO(sql);
    const absl::Status status = RunSql(world.database.get(), sql);
    CHECK(status.message().find("append-only") != std::string::npos);
  }
  // Not through the door of conflicts either.
  CHECK_FALSE(
      RunSql(world.database.get(), "INSERT INTO audit SELECT * FROM audit")
          .ok());
  CHECK(world.Entries().size() == 1);
}

TEST_CASE("audit log: operations are refused while the disk is not writable",
          "[audit]") {
  AuditWorld world;
  {
    const BrokenDisk broken(world.database.get());
    CHECK(absl::IsUnavailable(world.log->RecordNow(Allowed("reset-factors"))));
    CHECK(absl::IsUnavailable(world.log->Ready()));
    world.log->Record(Allowed("log-out"));  // is done, so it is kept
    world.log->Record(Refused("eve", "192.0.2.9"));
  }
  AwaitReady(world.log.get(), true);
  const auto entries = world.Entries();
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].act == "reset-factors");
  CHECK(entries[1].act == "log-out");
  CHECK(entries[2].actor == "eve");
  CHECK(IsChain(entries));
}

TEST_CASE("audit log: a queue that is full refuses acts and loses no count",
          "[audit]") {
  AuditWorld world;
  constexpr size_t kFits = AuditLog::kMaxWaiting + AuditLog::kReserve;
  constexpr size_t kAll = kFits + 1000;
  {
    const BrokenDisk broken(world.database.get());
    for (size_t i = 0; i < kAll; ++i) world.log->Record(Allowed("log-out"));
    CHECK(absl::IsUnavailable(world.log->Ready()));
  }
  AwaitReady(world.log.get(), true);
  world.Restart();
  CHECK(world.log->Head().sequence == kFits + 1);
  const auto last =
      ReadPiece(world.database.get(), {}, AuditOrder::kNewestFirst, kNewest, 1);
  CHECK(last->entries.at(0).result.substr(0, 26) ==
        "1000 more of this act sinc");
}

TEST_CASE("audit log: a flood of refusals leaves a handful", "[audit]") {
  AuditWorld world;
  for (int i = 0; i < 100000; ++i) {
    world.log->Record(Refused("ada", "192.0.2.1"));
  }
  CHECK_THAT(world.log->Ready(), IsOk());  // log-ins are not held up
  const auto entries = world.Entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].result.substr(0, 21) == "99999 more like this ");
}

TEST_CASE("audit log: writes a pending count at the end", "[audit]") {
  for (int i = 0; i < 30; ++i) {
    AuditWorld world;
    world.log->Record(Refused("ada", "192.0.2.1"));
    world.log->Record(Refused("ada", "192.0.2.1"));
    // The writer waits a tenth of a second for more, and then writes.
    absl::SleepFor(absl::Milliseconds(100) + absl::Microseconds(60 * i));
    REQUIRE(world.Entries().size() == 2);
  }
}

TEST_CASE("audit log: text of unauthenticated clients is sanitized",
          "[audit]") {
  AuditWorld world;
  AuditEvent event =
      Refused("ada\n2026-11-21T10:00:00.000Z audit log-in", "192.0.2.1\r\n");
  event.result = "\x1b[2J\xe2\x80\xae\xff" + std::string(100000, 'x');
  event.subject = std::string("a\0b", 3);
  world.log->Record(event);
  const auto entries = world.Entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].actor == "ada?2026-11-21T10:00:00.000Z audit log-in");
  CHECK(entries[0].source == "192.0.2.1??");
  CHECK(entries[0].subject == "a?b");
  CHECK(entries[0].result == "?[2J??" + std::string(314, 'x'));
}

TEST_CASE("audit log: an unauthenticated client cannot add lines to the log",
          "[audit]") {
  AuditWorld world;
  // After this the writer's own line at the start is out of the way.
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  const std::string path = world.directory.File("stderr");
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  const UniqueFd before(dup(STDERR_FILENO));
  dup2(file.get(), STDERR_FILENO);
  AuditEvent event = Refused("ada\n2026-11-21T10:00:00.000Z audit log-in", "");
  event.result =
      "no\r\n\x1b[2J\xe2\x80\xa8"
      "audit log-in decision=allow";
  world.log->Record(event);
  dup2(before.get(), STDERR_FILENO);
  const std::string log = ReadFile(path).value();
  CHECK(std::count(log.begin(), log.end(), '\n') == 1);
  CHECK(log.find('\x1b') == std::string::npos);
  CHECK(log.find("\xe2\x80\xa8") == std::string::npos);
  CHECK(log.find("user=\"ada?2026-11-21T10:00:00.000Z audit log-in\" ") !=
        std::string::npos);
}

TEST_CASE("audit log: pending entries are written with the next transaction",
          "[audit]") {
  AuditWorld world;
  const auto written = [&] {
    return ReadPiece(world.database.get(), {}, AuditOrder::kOldestFirst,
                     kOldest)
        ->entries.size();
  };
  REQUIRE_THAT(RunSql(world.database.get(), "CREATE TABLE other (x)"), IsOk());
  AuditLog::Ticket ticket = 0;
  REQUIRE_THAT(world.database->Transact([&](Database& db) {
    ticket = world.log->Record(Allowed("admit"));
    return db.Prepare("INSERT INTO other VALUES (1)")->Run();
  }),
               IsOk());
  CHECK(written() == 1);  // at once, not when the writer comes
  CHECK_THAT(world.log->Wait(ticket), IsOk());
  CHECK(IsChain(world.Entries()));
  // A transaction that fails takes nothing along, and nothing away.
  CHECK_FALSE(world.database
                  ->Transact([&](Database&) {
                    world.log->Record(Allowed("log-out"));
                    return absl::CancelledError("no");
                  })
                  .ok());
  CHECK(world.Entries().size() == 2);
}

TEST_CASE("audit log: an entry that cannot be written fails no transaction",
          "[audit]") {
  AuditWorld world;
  REQUIRE_THAT(RunSql(world.database.get(), "CREATE TABLE other (x)"), IsOk());
  {
    const BrokenDisk broken(world.database.get());
    for (int i = 0; i < 3; ++i) {
      AuditLog::Ticket ticket = 0;
      CHECK_THAT(world.database->Transact([&](Database& db) {
        ticket = world.log->Record(Allowed("admit"));
        return db.Prepare("INSERT INTO other VALUES (1)")->Run();
      }),
                 IsOk());
      CHECK(absl::IsUnavailable(world.log->Wait(ticket)));
    }
  }
  AwaitReady(world.log.get(), true);
  CHECK(world.Entries().size() == 3);
}

TEST_CASE("audit log: entries that vanish while it runs stop acts", "[audit]") {
  AuditWorld world;
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  REQUIRE_THAT(RunSql(world.database.get(), "DROP TRIGGER audit_grows"),
               IsOk());
  REQUIRE_THAT(
      RunSql(world.database.get(), "DELETE FROM audit WHERE sequence = 2"),
      IsOk());
  CHECK(absl::IsUnavailable(world.log->RecordNow(Allowed("log-in"))));
  CHECK(absl::IsUnavailable(world.log->Ready()));
}

TEST_CASE("audit log: a second backend on the same file stops itself",
          "[audit]") {
  AuditWorld world;
  const auto other =
      Database::Open(world.directory.File("carme.db"), Migrations()).value();
  const auto second = AuditLog::Open(other.get(), &world.clock).value();
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  CHECK(absl::IsUnavailable(second->RecordNow(Allowed("log-in"))));
  CHECK(absl::IsUnavailable(second->Ready()));
  REQUIRE_THAT(world.log->RecordNow(Allowed("log-in")), IsOk());
  CHECK(IsChain(
      ReadPiece(world.database.get(), {}, AuditOrder::kOldestFirst, kOldest)
          ->entries));
}

TEST_CASE("audit log: entries keep their order and their fields", "[audit]") {
  AuditWorld world;
  for (int i = 0; i < 600; ++i) {
    AuditEvent event = Allowed("log-in");
    event.subject = std::to_string(i);
    world.log->Record(event);
    world.clock.Advance(absl::Milliseconds(1));
  }
  const auto entries = world.Entries();
  REQUIRE(entries.size() == 600);
  for (int i = 0; i < 600; ++i) {
    CHECK(entries[i].sequence == i + 1);
    CHECK(entries[i].subject == std::to_string(i));
    CHECK(entries[i].at == 1'800'000'000'000'000 + 1000 * i);
  }
  CHECK(entries[0].actor == "ada");
  CHECK(entries[0].actor_uid == 20001);
  CHECK(entries[0].decision == "allow");
  CHECK(entries[0].machine == "carme-frontend");
  CHECK(IsChain(entries));
}

TEST_CASE("audit log: the chain continues after a restart", "[audit]") {
  AuditWorld world;
  world.log->Record(Allowed("log-in"));
  world.Restart();
  const ChainHead head = world.log->Head();
  CHECK(head.sequence == 1);
  REQUIRE_THAT(world.log->RecordNow(Allowed("cancel")), IsOk());
  CHECK(world.log->Head().sequence == 2);
  CHECK(IsChain(world.Entries()));
}

TEST_CASE("audit log: a head that cannot be ours stops the start", "[audit]") {
  AuditWorld world;
  world.log.reset();
  REQUIRE_THAT(
      RunSql(world.database.get(),
             "INSERT INTO audit VALUES (9223372036854775807, 0, '', '', "
             "0, '', '', '', '', '', '', '', x'00')"),
      IsOk());
  CHECK_THAT(AuditLog::Open(world.database.get(), &world.clock),
             StatusIs(absl::StatusCode::kDataLoss));
}

TEST_CASE("audit log: many threads make one chain", "[audit]") {
  AuditWorld world;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) world.log->Record(Allowed("log-in"));
      if (!world.log->RecordNow(Allowed("reset-factors")).ok()) std::abort();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto entries = world.Entries();
  CHECK(entries.size() == 8 * 51);
  CHECK(IsChain(entries));
}

}  // namespace
}  // namespace carme::backend
