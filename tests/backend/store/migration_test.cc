#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/store/database.h"
#include "backend/store/migration_backup.h"
#include "common/file.h"
#include "common/status.h"
#include "tests/support/read_number.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr std::string_view kBooks = "CREATE TABLE books (title TEXT) STRICT;";
constexpr std::string_view kLoans = "CREATE TABLE loans (book TEXT) STRICT;";
constexpr std::string_view kInvalid = "CREATE TABLE half (x); CREATE nonsense;";

absl::Status AddBook(Database* database) {
  return database->Transact([](Database& self) -> absl::Status {
    return self.Prepare("INSERT INTO books VALUES ('Emma')")->Run();
  });
}

// The copies that were made before migrations.
std::vector<std::string> CopiesIn(const TempDir& dir) {
  std::vector<std::string> copies;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    if (entry.path().extension() == ".backup") copies.push_back(entry.path());
  }
  std::sort(copies.begin(), copies.end());
  return copies;
}

// Overwrites a part of the file with other bytes.
void Damage(const std::string& path, size_t from, size_t bytes) {
  std::string content = ReadFile(path, 1 << 24).value();
  for (size_t i = from; i < from + bytes && i < content.size(); ++i) {
    content[i] = '\x5a';
  }
  REQUIRE_THAT(WriteFile(path, content, 0600), IsOk());
}

TEST_CASE("migration: refuses a newer schema and names the way back",
          "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  REQUIRE_THAT(Database::Open(path, {kBooks}), IsOk());
  REQUIRE_THAT(Database::Open(path, {kBooks, kLoans}), IsOk());
  const auto refused = Database::Open(path, {kBooks});
  CHECK_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                               "has schema version 2 of Carme " CARME_VERSION));
  CHECK_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                               "supports at most 1"));
  REQUIRE(CopiesIn(dir).size() == 1);
  CHECK_THAT(refused,
             StatusIs(absl::StatusCode::kFailedPrecondition, CopiesIn(dir)[0]));
  CHECK_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                               "carmectl restore"));
  CHECK(ReadNumber(path, "PRAGMA user_version") == 2);
}

TEST_CASE("migration: is not begun when the copy cannot be written",
          "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  REQUIRE_THAT(Database::Open(path, {kBooks}), IsOk());
  // The place of the incomplete copy.
  std::filesystem::create_directories(path + ".migration.part/occupied");
  CHECK_FALSE(Database::Open(path, {kBooks, kLoans}).ok());
  CHECK(ReadNumber(path, "PRAGMA user_version") == 1);
  CHECK(CopiesIn(dir).empty());
}

TEST_CASE("migration: a copy with the earlier schema remains", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  {
    auto database = Database::Open(path, {kBooks}).value();
    REQUIRE_THAT(AddBook(database.get()), IsOk());
  }
  CHECK(CopiesIn(dir).empty());  // nothing was migrated
  REQUIRE_THAT(Database::Open(path, {kBooks, kLoans}), IsOk());
  REQUIRE(CopiesIn(dir).size() == 1);
  const std::string copy = CopiesIn(dir)[0];
  CHECK_THAT(copy, Catch::Contains("carme.db.schema-1."));
  CHECK(ReadNumber(copy, "PRAGMA user_version") == 1);
  CHECK(ReadNumber(copy, "SELECT count(*) FROM books") == 1);
  struct stat info {};
  REQUIRE(stat(copy.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(ReadNumber(path, "SELECT count(*) FROM loans") == 0);
  CHECK(ReadNumber(path, "SELECT count(*) FROM schema_history") == 2);
}

TEST_CASE("migration: one that fails leaves the earlier schema", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  REQUIRE_THAT(Database::Open(path, {kBooks}), IsOk());
  CHECK_FALSE(Database::Open(path, {kBooks, kLoans, kInvalid}).ok());
  // The first of the two is complete.
  CHECK(ReadNumber(path, "PRAGMA user_version") == 2);
  CHECK(ReadNumber(path,
                   "SELECT count(*) FROM sqlite_master WHERE name = 'half'") ==
        0);
}

TEST_CASE("migration: the newest three copies are kept", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  REQUIRE_THAT(Database::Open(path, {kBooks}), IsOk());
  const absl::Time begin = absl::FromUnixSeconds(1'800'000'000);
  for (int i = 0; i < 5; ++i) {
    REQUIRE_THAT(
        BackUpBeforeMigration(path, 8 + i, begin + absl::Hours(24) * i),
        IsOk());
  }
  REQUIRE(CopiesIn(dir).size() == kMigrationBackupsKept);
  CHECK_THAT(NewestMigrationBackup(path, 11), Catch::Contains("schema-11."));
  CHECK_THAT(NewestMigrationBackup(path, 100), Catch::Contains("schema-12."));
  CHECK(NewestMigrationBackup(path, 9).empty());
}

TEST_CASE("migration: a database of the previous schema is migrated",
          "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  std::vector<std::string_view> previous = Migrations();
  previous.pop_back();
  REQUIRE_THAT(Database::Open(path, previous), IsOk());
  REQUIRE_THAT(Database::Open(path, Migrations()), IsOk());
  CHECK(ReadNumber(path, "PRAGMA user_version") ==
        static_cast<int64_t>(Migrations().size()));
  CHECK_THAT(Database::Open(path, previous),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("migration: a renamed column keeps its values", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  std::vector<std::string_view> previous = Migrations();
  while (previous.back().find("RENAME COLUMN most") == std::string_view::npos) {
    previous.pop_back();
  }
  previous.pop_back();
  {
    auto database = Database::Open(path, previous).value();
    REQUIRE_THAT(database->Transact([](Database& self) -> absl::Status {
      RETURN_IF_ERROR(
          self.Prepare("INSERT INTO quota_rules (scope, name, project, "
                       "uid, username, metric, most, note, set_by, set_at) "
                       "VALUES (4, '', '', 7, 'ada', 2, 9, '', 'root', 1)")
              ->Run());
      return self
          .Prepare(
              "INSERT INTO history (id, owner, owner_uid, project, "
              "name, spec, ending, reason, exit_code, slurm_job_id, "
              "nodes, gpu_type, gpus, created_at, ended_at, "
              "gpu_seconds, cpu_seconds, account, looked_at) VALUES "
              "('a', 'ada', 7, '', 'a', x'', 1, '', 0, 3, '', '', 0, "
              "1, 2, 0, 0, '', 5)")
          ->Run();
    }),
                 IsOk());
  }
  REQUIRE_THAT(Database::Open(path, Migrations()), IsOk());
  CHECK(ReadNumber(path, "SELECT max_amount FROM quota_rules") == 9);
  CHECK(ReadNumber(path, "SELECT checked_at FROM history") == 5);
}

TEST_CASE("migration: a corrupt database is refused with the remedy",
          "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  { auto database = Database::Open(path, Migrations()).value(); }
  const std::string intact = ReadFile(path, 1 << 24).value();
  SECTION("not a database") {
    REQUIRE_THAT(WriteFile(path, std::string(4096, 'x'), 0600), IsOk());
  }
  SECTION("a damaged page") { Damage(path, 4096, 4096); }
  SECTION("shortened") {
    REQUIRE_THAT(WriteFile(path, intact.substr(0, intact.size() / 2), 0600),
                 IsOk());
  }
  const std::string damaged = ReadFile(path, 1 << 24).value();
  CHECK_THAT(Database::Open(path, Migrations()),
             StatusIs(absl::StatusCode::kDataLoss, "carmectl restore"));
  CHECK(ReadFile(path, 1 << 24).value() == damaged);
}

}  // namespace
}  // namespace carme::backend
