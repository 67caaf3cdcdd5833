#include "backend/store/database.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr std::string_view kNotes =
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;";
constexpr std::string_view kLinks =
    "CREATE TABLE links (note INTEGER NOT NULL REFERENCES notes(id)) STRICT;";
constexpr std::string_view kBroken =
    "CREATE TABLE half (id INTEGER); CREATE TABLE half (id INTEGER);";

absl::Status Insert(Database& db, int64_t id, std::string_view text) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("INSERT INTO notes VALUES (?1, ?2)"));
  return write.Bind(1, id).Bind(2, text).Run();
}

absl::Status InsertOne(Database* database, int64_t id,
                       std::string_view text = "text") {
  return database->Transact([&](Database& db) { return Insert(db, id, text); });
}

int64_t Number(Database* database, const std::string& sql) {
  int64_t number = -1;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read, db.Prepare(sql));
    ASSIGN_OR_RETURN(const bool row, read.Step());
    if (row) number = read.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return number;
}

std::unique_ptr<Database> InMemory() {
  return Database::Open(":memory:", {kNotes, kLinks}).value();
}

TEST_CASE("database: a path that cannot be opened is named", "[backend]") {
  const auto opened = Database::Open("/nonexistent/db", {});
  REQUIRE_FALSE(opened.ok());
  CHECK(std::string(opened.status().message()).find("/nonexistent/db") !=
        std::string::npos);
}

TEST_CASE("database: a statement that is used again begins anew", "[backend]") {
  const auto database = InMemory();
  REQUIRE_THAT(InsertOne(database.get(), 1, "one"), IsOk());
  // A failed one does not spoil the next, nor leaves what was bound to it.
  CHECK_FALSE(InsertOne(database.get(), 1, "again").ok());
  REQUIRE_THAT(InsertOne(database.get(), 2, "two"), IsOk());
  REQUIRE_THAT(InsertOne(database.get(), 3, "three"), IsOk());
  const auto read = [](Database& db) -> absl::Status {
    constexpr char kRead[] = "SELECT text FROM notes WHERE id >= ? ORDER BY id";
    ASSIGN_OR_RETURN(Statement unbound, db.Prepare(kRead));
    ASSIGN_OR_RETURN(const bool none, unbound.Step());
    CHECK_FALSE(none);
    // The same text, while the first is in use; left in the middle.
    ASSIGN_OR_RETURN(Statement second, db.Prepare(kRead));
    ASSIGN_OR_RETURN(const bool row, second.Bind(1, int64_t{2}).Step());
    CHECK(row);
    CHECK(second.Text(0) == "two");
    return absl::OkStatus();
  };
  for (int i = 0; i < 3; ++i) {
    CHECK_THAT(database->Query(read), IsOk());
    CHECK_THAT(database->Transact(read), IsOk());
  }
  CHECK(Number(database.get(), "SELECT count(*) FROM notes") == 3);
}

TEST_CASE("database: a statement that is used again sees a changed table",
          "[backend]") {
  const auto database = InMemory();
  constexpr char kCount[] = "SELECT count(*) FROM pragma_table_info('links')";
  CHECK(Number(database.get(), kCount) == 1);
  const auto all = [](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows, db.Prepare("SELECT * FROM links"));
    return rows.Step().status();
  };
  REQUIRE_THAT(database->Query(all), IsOk());
  REQUIRE(database
              ->Transact([](Database& db) -> absl::Status {
                return db.Prepare("ALTER TABLE links ADD COLUMN more INTEGER")
                    ->Run();
              })
              .ok());
  CHECK(Number(database.get(), kCount) == 2);
  CHECK_THAT(database->Query(all), IsOk());
}

TEST_CASE("database: more statements than are kept are all right",
          "[backend]") {
  const auto database = InMemory();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      const std::string sql = "SELECT " + std::to_string(i);
      REQUIRE(Number(database.get(), sql) == i);
    }
  }
}

TEST_CASE("database: a file of a newer Carme is refused", "[backend]") {
  TempDir dir;
  REQUIRE_THAT(Database::Open(dir.File("db"), {kNotes, kLinks}), IsOk());
  CHECK_THAT(Database::Open(dir.File("db"), {kNotes}),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("database: a failed migration changes nothing", "[backend]") {
  TempDir dir;
  CHECK_FALSE(Database::Open(dir.File("db"), {kNotes, kBroken}).ok());
  auto database = Database::Open(dir.File("db"), {kNotes}).value();
  CHECK(Number(database.get(), "PRAGMA user_version") == 1);
  CHECK(Number(database.get(),
               "SELECT count(*) FROM sqlite_master "
               "WHERE name='half'") == 0);
}

TEST_CASE("database: migrations are applied once, later ones too",
          "[backend]") {
  TempDir dir;
  {
    auto database = Database::Open(dir.File("db"), {kNotes}).value();
    REQUIRE_THAT(InsertOne(database.get(), 1), IsOk());
  }
  auto database = Database::Open(dir.File("db"), {kNotes, kLinks}).value();
  CHECK(Number(database.get(), "PRAGMA user_version") == 2);
  CHECK(Number(database.get(), "SELECT count(*) FROM notes") == 1);
}

TEST_CASE("database: an error in a transaction undoes all of it", "[backend]") {
  auto database = InMemory();
  const absl::Status status =
      database->Transact([](Database& db) -> absl::Status {
        RETURN_IF_ERROR(Insert(db, 1, "text"));
        return absl::CancelledError("changed my mind");
      });
  CHECK(status == absl::CancelledError("changed my mind"));
  CHECK(Number(database.get(), "SELECT count(*) FROM notes") == 0);
  CHECK_THAT(InsertOne(database.get(), 1), IsOk());
}

TEST_CASE("database: counts its operations, and errors of bodies apart",
          "[backend]") {
  auto database = InMemory();
  REQUIRE_THAT(InsertOne(database.get(), 1), IsOk());
  CHECK_FALSE(InsertOne(database.get(), 1).ok());
  CHECK_FALSE(
      database
          ->Query([](Database& db) { return db.Prepare("no sql").status(); })
          .ok());
  MetricsWriter writer("");
  database->operations().Write({.total = "done",
                                .total_help = "",
                                .seconds = "seconds",
                                .seconds_help = "",
                                .kind = "operation",
                                .result = "result"},
                               &writer);
  const std::string text = writer.Take();
  INFO(text);
  for (const char* line :
       {"\ndone{operation=\"transaction\",result=\"refused\"} 1\n",
        "\ndone{operation=\"query\",result=\"failed\"} 1\n",
        "\ndone{operation=\"commit\",result=\"ok\"} "}) {
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("database: a second row of one key is ALREADY_EXISTS", "[backend]") {
  auto database = InMemory();
  REQUIRE_THAT(InsertOne(database.get(), 1), IsOk());
  CHECK_THAT(InsertOne(database.get(), 1),
             StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_CASE("database: foreign keys hold", "[backend]") {
  auto database = InMemory();
  CHECK_FALSE(database
                  ->Transact([](Database& db) -> absl::Status {
                    ASSIGN_OR_RETURN(
                        Statement write,
                        db.Prepare("INSERT INTO links VALUES (7)"));
                    return write.Run();
                  })
                  .ok());
}

TEST_CASE("database: SQL that makes no sense is an error with its text",
          "[backend]") {
  auto database = InMemory();
  const absl::Status status = database->Query([](Database& db) {
    return db.Prepare("SELECT nothing FROM nowhere").status();
  });
  CHECK(std::string(status.message()).find("nowhere") != std::string::npos);
}

TEST_CASE("database: text and bytes come back as they were", "[backend]") {
  auto database = InMemory();
  const std::string odd = std::string("a\0b'\"", 5) + "\xc3\xa9";
  REQUIRE_THAT(InsertOne(database.get(), 1, odd), IsOk());
  REQUIRE_THAT(InsertOne(database.get(), 2, ""), IsOk());
  // One without bytes behind it is empty text, not NULL.
  REQUIRE_THAT(InsertOne(database.get(), 3, std::string_view()), IsOk());
  std::vector<std::string> texts;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    Statement read = db.Prepare("SELECT text FROM notes ORDER BY id").value();
    while (read.Step().value()) texts.push_back(read.Text(0));
    return absl::OkStatus();
  }),
               IsOk());
  CHECK(texts == std::vector<std::string>{odd, "", ""});
}

TEST_CASE("database: committed data survives a kill", "[backend]") {
  TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    auto database = Database::Open(dir.File("db"), {kNotes}).value();
    const bool written = InsertOne(database.get(), 1).ok();
    _exit(written ? 0 : 1);  // nothing is closed, nothing is flushed
  }
  int result = -1;
  REQUIRE(waitpid(child, &result, 0) == child);
  REQUIRE(result == 0);
  auto database = Database::Open(dir.File("db"), {kNotes}).value();
  CHECK(Number(database.get(), "SELECT count(*) FROM notes") == 1);
  CHECK(Number(database.get(), "PRAGMA synchronous") == 2);
}

TEST_CASE("database: ours opens, and again", "[backend]") {
  TempDir dir;
  REQUIRE_THAT(Database::Open(dir.File("db"), Migrations()), IsOk());
  auto database = Database::Open(dir.File("db"), Migrations()).value();
  CHECK(Number(database.get(), "PRAGMA user_version") ==
        static_cast<int64_t>(Migrations().size()));
  struct stat info {};
  REQUIRE(stat(dir.File("db").c_str(), &info) == 0);
  CHECK((info.st_mode & 077) == 0);
}

// Writes a row of its own into each transaction, or fails to.
class Passenger : public Rider {
 public:
  bool IsWaiting() override { return waiting; }
  absl::Status Board(Database& db) override {
    RETURN_IF_ERROR(db.Prepare("INSERT INTO t VALUES (100)")->Run());
    return boards ? absl::OkStatus() : absl::CancelledError("not now");
  }
  void Arrive(const absl::Status& status) override {
    arrived.push_back(status);
  }
  bool waiting = true;
  bool boards = true;
  std::vector<absl::Status> arrived;
};

int64_t CountOf(Database* database, int64_t number) {
  int64_t count = -1;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    Statement read = db.Prepare("SELECT count(*) FROM t WHERE x = ?1").value();
    REQUIRE(read.Bind(1, number).Step().value());
    count = read.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return count;
}

TEST_CASE("database: a rider's failure does not fail the transaction",
          "[backend]") {
  const auto database =
      Database::Open(":memory:", {"CREATE TABLE t (x)"}).value();
  Passenger rider;
  database->Carry(&rider);
  const auto insert = [](Database& db) {
    return db.Prepare("INSERT INTO t VALUES (1)")->Run();
  };
  REQUIRE_THAT(database->Transact(insert), IsOk());
  CHECK(CountOf(database.get(), 100) == 1);
  CHECK(rider.arrived == std::vector<absl::Status>{absl::OkStatus()});

  rider.boards = false;
  REQUIRE_THAT(database->Transact(insert), IsOk());
  CHECK(CountOf(database.get(), 1) == 2);
  CHECK(CountOf(database.get(), 100) == 1);
  CHECK(absl::IsCancelled(rider.arrived.at(1)));

  rider.boards = true;
  CHECK_FALSE(database
                  ->Transact([](Database&) {
                    return absl::InternalError("the transaction's own");
                  })
                  .ok());
  CHECK(rider.arrived.size() == 2);  // it was not asked

  rider.waiting = false;
  REQUIRE_THAT(database->Transact(insert), IsOk());
  database->Carry(nullptr);
  rider.waiting = true;
  REQUIRE_THAT(database->Transact(insert), IsOk());
  CHECK(CountOf(database.get(), 100) == 1);
}

TEST_CASE("database: a rider is notified of a failed commit", "[backend]") {
  const auto database =
      Database::Open(":memory:",
                     {"CREATE TABLE t (x REFERENCES p (id) DEFERRABLE "
                      "INITIALLY DEFERRED)",
                      "CREATE TABLE p (id PRIMARY KEY)"})
          .value();
  Passenger rider;
  database->Carry(&rider);
  CHECK_FALSE(
      database->Transact([](Database&) { return absl::OkStatus(); }).ok());
  REQUIRE(rider.arrived.size() == 1);
  CHECK_FALSE(rider.arrived[0].ok());
  CHECK(CountOf(database.get(), 100) == 0);
}

TEST_CASE("database: opens an existing file without migration", "[backend]") {
  TempDir directory;
  const std::string path = directory.File("carme.db");
  const std::vector<std::string_view> migrations = {"CREATE TABLE t (x)"};
  CHECK(absl::IsNotFound(Database::OpenExisting(path, migrations).status()));
  REQUIRE_THAT(Database::Open(path, migrations), IsOk());
  CHECK_THAT(Database::OpenExisting(path, migrations), IsOk());
  CHECK_THAT(Database::OpenExisting(path, {migrations[0], "CREATE TABLE u (x)"})
                 .status(),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace carme::backend
