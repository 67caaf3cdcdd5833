#include "backend/store/database_copy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "backend/store/database.h"
#include "common/file.h"
#include "common/status.h"
#include "tests/support/read_number.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

// Both columns of all rows have the same sum at any moment.
constexpr std::string_view kPairs =
    "CREATE TABLE pairs (a INTEGER, b INTEGER, filler TEXT) STRICT;";

absl::Status AddPair(Database* database, int64_t number) {
  return database->Transact([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row,
                     self.Prepare("INSERT INTO pairs VALUES (?1, 0, ?2)"));
    RETURN_IF_ERROR(row.Bind(1, number).Bind(2, std::string(2000, 'x')).Run());
    ASSIGN_OR_RETURN(Statement other,
                     self.Prepare("UPDATE pairs SET b = a WHERE a = ?"));
    return other.Bind(1, number).Run();
  });
}

bool IsThere(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

TEST_CASE("database copy: an existing file is not replaced", "[backend]") {
  TempDir dir;
  REQUIRE_THAT(Database::Open(dir.File("db"), {kPairs}), IsOk());
  REQUIRE_THAT(WriteFile(dir.File("copy"), "precious", 0600), IsOk());
  CHECK_THAT(CopyDatabase(dir.File("db"), dir.File("copy")),
             StatusIs(absl::StatusCode::kAlreadyExists));
  CHECK(ReadFile(dir.File("copy")).value() == "precious");
}

TEST_CASE("database copy: a failed copy leaves no file", "[backend]") {
  TempDir dir;
  CHECK_THAT(CopyDatabase(dir.File("none"), dir.File("copy")),
             StatusIs(absl::StatusCode::kNotFound));
  CHECK_FALSE(IsThere(dir.File("copy")));
  REQUIRE_THAT(Database::Open(dir.File("db"), {kPairs}), IsOk());
  CHECK_THAT(CopyDatabase(dir.File("db"), dir.File("copy"),
                          [] { return absl::CancelledError("stop"); }),
             StatusIs(absl::StatusCode::kCancelled));
  CHECK_FALSE(IsThere(dir.File("copy")));
  REQUIRE_THAT(WriteFile(dir.File("text"), std::string(9000, 'x'), 0600),
               IsOk());
  CHECK_THAT(CopyDatabase(dir.File("text"), dir.File("copy")),
             StatusIs(absl::StatusCode::kDataLoss));
  CHECK_FALSE(IsThere(dir.File("copy")));
}

TEST_CASE("database copy: includes the write-ahead log", "[backend]") {
  TempDir dir;
  auto database = Database::Open(dir.File("db"), {kPairs}).value();
  REQUIRE_THAT(AddPair(database.get(), 1), IsOk());
  REQUIRE_THAT(CopyDatabase(dir.File("db"), dir.File("copy")), IsOk());
  struct stat info {};
  REQUIRE(stat(dir.File("copy").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_FALSE(IsThere(dir.File("copy-wal")));
  CHECK(ReadNumber(dir.File("copy"), "SELECT count(*) FROM pairs") == 1);
  CHECK_THAT(CheckDatabase(dir.File("copy")), IsOk());
}

TEST_CASE("database copy: is of one moment while another writes", "[backend]") {
  TempDir dir;
  auto database = Database::Open(dir.File("db"), {kPairs}).value();
  // Several steps of the copy.
  REQUIRE_THAT(database->Query([&](Database& self) -> absl::Status {
    return self
        .Prepare(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "n WHERE i < 5000) INSERT INTO pairs SELECT 0, 0, "
            "printf('%.*c', 2000, 'x') FROM n")
        ->Run();
  }),
               IsOk());
  const int64_t before =
      ReadNumber(dir.File("db"), "SELECT count(*) FROM pairs");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int64_t i = 10'000; !stop; ++i) {
      AddPair(database.get(), i).IgnoreError();
    }
  });
  int steps = 0;
  const absl::Status copied =
      CopyDatabase(dir.File("db"), dir.File("copy"), [&] {
        ++steps;
        return absl::OkStatus();
      });
  stop = true;
  writer.join();
  REQUIRE_THAT(copied, IsOk());
  CHECK(steps >= 2);
  CHECK(ReadNumber(dir.File("copy"), "SELECT sum(a) - sum(b) FROM pairs") == 0);
  CHECK(ReadNumber(dir.File("copy"), "SELECT count(*) FROM pairs") >= before);
  CHECK_THAT(CheckDatabase(dir.File("copy")), IsOk());
}

}  // namespace
}  // namespace carme::backend
