#include "backend/store/overlay.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "common/status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr std::string_view kTables =
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) "
    "STRICT; CREATE TABLE \"links\" (note INTEGER NOT NULL REFERENCES notes "
    "(id), place TEXT NOT NULL, PRIMARY KEY (note, place)) STRICT, WITHOUT "
    "ROWID; CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT) "
    "STRICT; INSERT INTO notes VALUES (1, 'one'); INSERT INTO links VALUES "
    "(1, 'a'); INSERT INTO log (text) VALUES ('kept');";

absl::Status Write(Database* database, const std::string& sql) {
  return database->Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write, db.Prepare(sql));
    return write.Run();
  });
}

int64_t Count(Database* database, const std::string& table) {
  int64_t count = -1;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read,
                     db.Prepare("SELECT count(*) FROM " + table));
    ASSIGN_OR_RETURN(const bool row, read.Step());
    if (row) count = read.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return count;
}

struct Overlaid {
  TempDir dir{};
  std::unique_ptr<Database> file =
      Database::Open(dir.File("carme.db"), {kTables}).value();
  std::unique_ptr<Database> overlay =
      OpenOverlay(file.get(), {{.name = "notes"},
                               {.name = "links"},
                               {.name = "log", .has_rows = false}})
          .value();
};

TEST_CASE("overlay: a database in memory has none", "[backend]") {
  const auto memory = Database::Open(":memory:", {kTables}).value();
  CHECK(absl::IsFailedPrecondition(
      OpenOverlay(memory.get(), {{.name = "notes"}}).status()));
}

TEST_CASE("overlay: refuses a table that does not exist", "[backend]") {
  const TempDir dir;
  const auto file = Database::Open(dir.File("carme.db"), {kTables}).value();
  CHECK_THAT(OpenOverlay(file.get(), {{.name = "nosuch"}}).status(),
             StatusIs(absl::StatusCode::kInternal, "nosuch"));
}

TEST_CASE("overlay: a write to another table fails", "[backend]") {
  const TempDir dir;
  const auto file = Database::Open(dir.File("carme.db"), {kTables}).value();
  const auto overlay = OpenOverlay(file.get(), {{.name = "links"}}).value();
  CHECK_FALSE(Write(overlay.get(), "INSERT INTO notes VALUES (2, 'x')").ok());
  CHECK_FALSE(Write(overlay.get(), "DELETE FROM main.links").ok());
  CHECK(Count(file.get(), "notes") == 1);
  CHECK(Count(file.get(), "links") == 1);
}

TEST_CASE("overlay: its tables keep their constraints", "[backend]") {
  Overlaid site;
  Database* const overlay = site.overlay.get();
  CHECK(absl::IsAlreadyExists(
      Write(overlay, "INSERT INTO notes VALUES (2, 'one')")));
  CHECK(absl::IsAlreadyExists(
      Write(overlay, "INSERT INTO links VALUES (1, 'a')")));
  CHECK_THAT(Write(overlay,
                   "INSERT INTO notes VALUES (1, 'new') ON CONFLICT (id) DO "
                   "UPDATE SET text = 'new'"),
             IsOk());
  CHECK(Count(overlay, "notes WHERE text = 'new'") == 1);
}

TEST_CASE("overlay: a write is seen in it, and nowhere else", "[backend]") {
  Overlaid site;
  CHECK(Count(site.overlay.get(), "log") == 0);
  REQUIRE_THAT(Write(site.overlay.get(), "INSERT INTO notes VALUES (2, 'two')"),
               IsOk());
  REQUIRE_THAT(Write(site.overlay.get(), "DELETE FROM links"), IsOk());
  REQUIRE_THAT(Write(site.overlay.get(), "INSERT INTO log (text) VALUES ('x')"),
               IsOk());
  CHECK(Count(site.overlay.get(), "notes") == 2);
  CHECK(Count(site.overlay.get(), "links") == 0);
  CHECK(Count(site.file.get(), "notes") == 1);
  CHECK(Count(site.file.get(), "links") == 1);
  CHECK(Count(site.file.get(), "log") == 1);
  const auto other = OpenOverlay(site.file.get(), {{.name = "notes"}}).value();
  CHECK(Count(other.get(), "notes") == 1);
}

TEST_CASE("overlay: does not delay writers, and follows other tables",
          "[backend]") {
  Overlaid site;
  const auto partial =
      OpenOverlay(site.file.get(), {{.name = "links"}}).value();
  const absl::Status wrote =
      partial->Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(Statement write,
                         db.Prepare("INSERT INTO links VALUES (1, 'b')"));
        RETURN_IF_ERROR(write.Run());
        return Write(site.file.get(), "INSERT INTO notes VALUES (3, 'three')");
      });
  REQUIRE_THAT(wrote, IsOk());
  CHECK(Count(partial.get(), "notes") == 2);
  CHECK(Count(site.overlay.get(), "notes") == 1);
}

}  // namespace
}  // namespace carme::backend
