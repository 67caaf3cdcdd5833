// An audit log on a database of its own, and what its tests look at.
#ifndef CARME_TESTS_BACKEND_AUDIT_AUDIT_WORLD_H_
#define CARME_TESTS_BACKEND_AUDIT_AUDIT_WORLD_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/audit/audit_table.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {

inline AuditEvent Allowed(const std::string& act) {
  return {.act = act,
          .actor = "ada",
          .actor_uid = Uid(20001),
          .subject = "k3",
          .decision = AuditDecision::kAllow,
          .result = "ok",
          .source = "192.0.2.7",
          .machine = "carme-frontend",
          .request_id = "r1",
          .session_id = "s1"};
}

// By an unauthenticated client.
inline AuditEvent Refused(const std::string& actor, const std::string& source) {
  return {.act = "log-in",
          .actor = actor,
          .decision = AuditDecision::kRefuse,
          .result = "wrong password",
          .source = source,
          .machine = "carme-frontend",
          .request_id = "r2"};
}

inline absl::Status RunSql(Database* database, const std::string& sql) {
  return database->Query([&](Database& db) -> absl::Status {
    absl::StatusOr<Statement> statement = db.Prepare(sql);
    if (!statement.ok()) return statement.status();
    return statement->Run();
  });
}

struct AuditWorld {
  AuditWorld() { Restart(); }
  void Restart() {
    log.reset();
    log = AuditLog::Open(database.get(), &clock).value();
  }
  // After everything that was recorded is written.
  std::vector<AuditEntry> Entries() {
    Restart();
    return ReadPiece(database.get(), {}, AuditOrder::kOldestFirst, kOldest)
        ->entries;
  }
  TempDir directory;
  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(directory.File("carme.db"), Migrations()).value();
  std::unique_ptr<AuditLog> log;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_AUDIT_AUDIT_WORLD_H_
