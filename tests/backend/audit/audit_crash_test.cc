// The backend is killed while it writes: what is in the table is a chain.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "backend/audit/verification.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/signals.h"

namespace carme::backend {
namespace {

// Records without end, in a process of its own, and writes to `fd` how many are
// certainly on the disk.
[[noreturn]] void RecordForEver(const std::string& path, int fd) {
  const SystemClock clock;
  auto database = Database::Open(path, Migrations()).value();
  auto log = AuditLog::Open(database.get(), &clock).value();
  for (int64_t written = 0;; ++written) {
    for (int i = 0; i < 20; ++i) log->Record(Allowed("log-in"));
    if (!log->RecordNow(Allowed("reset-factors")).ok()) _exit(1);
    const int64_t head = log->Head().sequence;
    if (write(fd, &head, sizeof(head)) != sizeof(head)) _exit(1);
  }
}

TEST_CASE("audit log: killed while it writes, it leaves a chain", "[audit]") {
  TempDir directory;
  const std::string path = directory.File("carme.db");
  int64_t before = 0;
  for (int round = 1; round <= 5; ++round) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) RecordForEver(path, ends[1]);
    close(ends[1]);
    int64_t durable = 0;
    for (int i = 0; i < 3 * round; ++i) {
      REQUIRE(read(ends[0], &durable, sizeof(durable)) == sizeof(durable));
    }
    testing::Signal(child, SIGKILL);
    int64_t later = 0;
    while (read(ends[0], &later, sizeof(later)) == sizeof(later)) {
      durable = later;
    }
    close(ends[0]);
    REQUIRE(waitpid(child, nullptr, 0) == child);

    const auto database = Database::Open(path, Migrations()).value();
    const AuditVerification verdict = VerifyAudit(database.get(), "", [] {
                                        return absl::OkStatus();
                                      }).value();
    CHECK(verdict.broken_at == 0);
    CHECK(verdict.entries >= durable);
    CHECK(verdict.entries > before);
    before = verdict.entries;
  }
}

}  // namespace
}  // namespace carme::backend
