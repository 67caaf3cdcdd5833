// Disks that are full: a small tmpfs of the test's own.
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/backup/backup.h"
#include "backend/backup/restore.h"
#include "backend/store/migration_backup.h"
#include "tests/backend/backup/state_fixture.h"

namespace carme::backend {
namespace {

class TinyDisk {
 public:
  explicit TinyDisk(const std::string& size) {
    REQUIRE(mount("carme-test", dir_.path().c_str(), "tmpfs", 0,
                  absl::StrCat("size=", size, ",mode=700").c_str()) == 0);
  }
  ~TinyDisk() { umount2(dir_.path().c_str(), MNT_DETACH); }
  std::string File(const std::string& name) const { return dir_.File(name); }
  bool IsEmpty() const { return std::filesystem::is_empty(dir_.path()); }

 private:
  TempDir dir_;
};

TEST_CASE("backup: reports a full disk and leaves no file", "[backend]") {
  StateFixture site;
  TinyDisk disk("160k");
  CHECK_THAT(CreateBackup(site.ToFile(disk.File("all"))),
             StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK(disk.IsEmpty());
}

TEST_CASE("restore: a full disk leaves no state", "[backend]") {
  StateFixture site;
  TinyDisk disk("160k");
  REQUIRE_THAT(CreateBackup(site.ToFile(site.Beside("all"))), IsOk());
  CHECK_THAT(
      RestoreBackup(site.FromFile(site.Beside("all"), disk.File("state"))),
      StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK_FALSE(IsPresent(disk.File("state/carme.db")));
  CHECK_FALSE(IsPresent(disk.File("state/restore.part")));
}

TEST_CASE("migration: a full disk leaves the schema as it was", "[backend]") {
  TinyDisk disk("1m");
  const std::string path = disk.File("carme.db");
  REQUIRE_THAT(Database::Open(path, {"CREATE TABLE t (x)",
                                     "INSERT INTO t VALUES (zeroblob(90000))"}),
               IsOk());
  for (int i = 0; WriteFile(disk.File(absl::StrCat("full", i)),
                            std::string(16384, 'x'), 0600)
                      .ok();
       ++i) {
  }
  // Room for what SQLite keeps beside the file, and not for a copy.
  for (int i = 0; i < 5; ++i)
    unlink(disk.File(absl::StrCat("full", i)).c_str());
  CHECK_THAT(Database::Open(path, {"", "", "CREATE TABLE u (x)"}),
             StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK(NewestMigrationBackup(path, 100).empty());
  CHECK(ReadNumber(path, "PRAGMA user_version") == 2);
}

}  // namespace
}  // namespace carme::backend
