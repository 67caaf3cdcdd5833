// A disk that is full: a small tmpfs of the test's own.
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/verification.h"
#include "common/file.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

class SmallDisk {
 public:
  SmallDisk() {
    REQUIRE(mount("carme-test", dir_.path().c_str(), "tmpfs", 0,
                  "size=2m,mode=700") == 0);
  }
  ~SmallDisk() { umount2(dir_.path().c_str(), MNT_DETACH); }
  std::string File(const std::string& name) const { return dir_.File(name); }
  void Fill() const {
    for (int i = 0; WriteFile(File("full" + std::to_string(i)),
                              std::string(4096, 'x'), 0600)
                        .ok();
         ++i) {
    }
  }
  void Free() const {
    for (int i = 0; unlink(File("full" + std::to_string(i)).c_str()) == 0;
         ++i) {
    }
  }

 private:
  TempDir dir_;
};

TEST_CASE("audit log: a full disk refuses operations and loses no entry",
          "[audit]") {
  SmallDisk disk;
  FakeClock clock;
  auto database = Database::Open(disk.File("carme.db"), Migrations()).value();
  auto log = AuditLog::Open(database.get(), &clock).value();
  REQUIRE_THAT(log->RecordNow(Allowed("log-in")), IsOk());
  disk.Fill();
  int64_t recorded = 1;
  absl::Status full;
  while (full.ok() && recorded < 10000) {
    AuditEvent event = Allowed("log-in");
    event.result = std::string(300, 'x');
    full = log->RecordNow(event);
    ++recorded;
  }
  CHECK(absl::IsUnavailable(full));
  CHECK(absl::IsUnavailable(log->Ready()));
  log->Record(Allowed("log-out"));
  ++recorded;
  disk.Free();
  CHECK(testing::WaitFor([&] { return log->Ready().ok(); }));
  CHECK_THAT(log->RecordNow(Allowed("log-in")), IsOk());
  const AuditVerification verdict =
      VerifyAudit(database.get(), "", [] { return absl::OkStatus(); }).value();
  CHECK(verdict.broken_at == 0);
  CHECK(verdict.entries == recorded + 1);
}

}  // namespace
}  // namespace carme::backend
