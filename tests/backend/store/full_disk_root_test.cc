// A disk that is full: a small tmpfs of the test's own.
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/store/database.h"
#include "common/file.h"
#include "common/status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr std::string_view kNotes =
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;";

class SmallDisk {
 public:
  SmallDisk() {
    REQUIRE(mount("carme-test", dir_.path().c_str(), "tmpfs", 0,
                  "size=1m,mode=700") == 0);
  }
  ~SmallDisk() { umount2(dir_.path().c_str(), MNT_DETACH); }
  std::string File(const std::string& name) const { return dir_.File(name); }
  void Fill() const {
    for (int i = 0; WriteFile(File("full" + std::to_string(i)),
                              std::string(16384, 'x'), 0600)
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

absl::Status Insert(Database* database, int64_t id) {
  return database->Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("INSERT INTO notes VALUES (?1, ?2)"));
    return write.Bind(1, id).Bind(2, std::string(8000, 'x')).Run();
  });
}

int64_t Count(Database* database) {
  int64_t count = -1;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read, db.Prepare("SELECT count(*) FROM notes"));
    RETURN_IF_ERROR(read.Step().status());
    count = read.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return count;
}

TEST_CASE("database: none is made on a full disk", "[backend]") {
  SmallDisk disk;
  disk.Fill();
  const auto opened = Database::Open(disk.File("db"), {kNotes});
  CHECK_THAT(opened, StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_CASE("database: a full disk refuses writes, serves reads, and recovers",
          "[backend]") {
  SmallDisk disk;
  auto database = Database::Open(disk.File("db"), {kNotes}).value();
  REQUIRE_THAT(Insert(database.get(), 1), IsOk());
  disk.Fill();
  absl::Status full;
  int64_t next = 2;
  while (full.ok() && next < 1000) full = Insert(database.get(), next++);
  CHECK_THAT(full, StatusIs(absl::StatusCode::kResourceExhausted));
  const int64_t count = Count(database.get());
  CHECK(count == next - 2);  // all that were said to be written, no more
  disk.Free();
  CHECK_THAT(Insert(database.get(), 1000), IsOk());
  CHECK(Count(database.get()) == count + 1);
}

}  // namespace
}  // namespace carme::backend
