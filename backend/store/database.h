// A SQLite database: WAL, synchronous=FULL, versioned migrations, and
// statements that cannot leak. One connection behind one mutex: writes are
// rare, and SQLite has one writer anyway.
#ifndef CARME_BACKEND_STORE_DATABASE_H_
#define CARME_BACKEND_STORE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/availability.h"
#include "common/metrics/operation_meter.h"

struct sqlite3;
struct sqlite3_stmt;

namespace carme::backend {

class Database;

enum class ColumnType { kNull, kInteger, kReal, kText, kBlob };

// A prepared statement with its bindings. Valid within one Transact() or
// Query(); the compiled statement is cached by its text. Columns and parameters
// count from 0 and from 1, as in SQLite.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  ~Statement();
  Statement& Bind(int index, std::string_view text);
  Statement& Bind(int index, int64_t number);
  Statement& BindBlob(int index, std::string_view bytes);
  Statement& BindNull(int index);
  // True: there is a row. False: done.
  absl::StatusOr<bool> Step();
  // For statements that return no rows.
  absl::Status Run();
  std::string Text(int column) const;
  std::string Blob(int column) const;
  int64_t Int(int column) const;
  bool IsNull(int column) const;
  ColumnType Type(int column) const;
  // An INTERNAL error of the database that names the column and its value's
  // type.
  absl::Status ColumnError(int column, std::string_view problem) const;

 private:
  friend class Database;
  Statement(Database* database, sqlite3_stmt* statement);
  Database* database_;
  sqlite3_stmt* statement_;
};

// Adds its own writes to other transactions, so that they share one sync. The
// database is locked during the calls: they must use it only through the
// argument of Board().
class Rider {
 public:
  virtual ~Rider() = default;
  // Whether Board() is called at the end of this transaction.
  virtual bool IsWaiting() = 0;
  // Writes within the transaction. An error rolls back only what Board() wrote.
  virtual absl::Status Board(Database& database) = 0;
  // OK: what Board() wrote is on disk.
  virtual void Arrive(const absl::Status& status) = 0;
};

// Thread-safe. Invariants: foreign keys are on; a transaction that returned OK
// is on disk; user_version is the number of migrations applied.
class Database {
 public:
  // Applies each migration once, in order, each in its own transaction, and
  // copies an existing database first (migration_backup.h).
  // FAILED_PRECONDITION: the file is newer than this program.
  // RESOURCE_EXHAUSTED: the disk is full. DATA_LOSS: the file is corrupt. A new
  // file has mode 0600. `path` may be ":memory:" in tests.
  static absl::StatusOr<std::unique_ptr<Database>> Open(
      const std::string& path, const std::vector<std::string_view>& migrations);
  // Opens a database that the backend created, also while it runs. Creates and
  // migrates nothing. NOT_FOUND; FAILED_PRECONDITION: another version.
  static absl::StatusOr<std::unique_ptr<Database>> OpenExisting(
      const std::string& path, const std::vector<std::string_view>& migrations);
  // Never writes to the file, which may be in use by the backend. NOT_FOUND,
  // PERMISSION_DENIED; UNAVAILABLE: SQLite cannot open it.
  static absl::StatusOr<std::unique_ptr<Database>> OpenReadOnly(
      const std::string& path);
  ~Database();

  // Runs `body` in BEGIN IMMEDIATE … COMMIT; rolls back when it returns an
  // error. `body` must not call Transact or Query again.
  absl::Status Transact(const std::function<absl::Status(Database&)>& body);
  // Calls `rider` in every transaction from now on; null: none. It must outlive
  // the database, or be removed before.
  void Carry(Rider* rider);
  // Runs `body` without a transaction: single reads or single writes.
  absl::Status Query(const std::function<absl::Status(Database&)>& body);
  // Compiles the statement, unless it is cached. REQUIRES: inside a body.
  absl::StatusOr<Statement> Prepare(std::string_view sql);
  int64_t Changes() const;  // rows of the last write; REQUIRES: inside a body

  // Whether writes succeed, as observed by the newest transaction.
  const Availability& writes() const { return writes_; }
  // Transactions, commits and single reads, without the wait for the mutex.
  // Results: "ok", "refused" (the body's own error), "failed" (SQLite's).
  const OperationMeter& operations() const { return operations_; }
  // Tests it by writing one page without a change.
  absl::Status ProbeWrite();

 private:
  friend class Statement;
  static constexpr size_t kMaxKept = 64;

  explicit Database(sqlite3* connection);
  static absl::StatusOr<std::unique_ptr<Database>> OpenForWriting(
      const std::string& path);
  absl::StatusOr<int64_t> Version();
  static absl::StatusOr<std::unique_ptr<Database>> OpenAndMigrate(
      const std::string& path, const std::vector<std::string_view>& migrations);
  absl::Status Execute(const char* sql);
  absl::Status CheckIntact();
  absl::Status Migrate(const std::string& path,
                       const std::vector<std::string_view>& migrations);
  absl::Status ApplyMigration(std::string_view migration, int64_t version);
  std::string ProgramOfVersion(int64_t version);
  absl::Status RefuseDowngrade(const std::string& path, int64_t version,
                               int64_t newest);
  absl::Status Board(Rider& rider);
  absl::Status Commit();
  // Returns a statement to the cache and clears its bindings.
  void Keep(sqlite3_stmt* statement);
  sqlite3_stmt* TakeKept(std::string_view sql);
  absl::Mutex mutex_;
  sqlite3* connection_;
  Rider* rider_ = nullptr;
  Availability writes_;
  OperationMeter operations_{{"query", "transaction", "commit"},
                             {"ok", "refused", "failed"}};
  // The statements that are not in use, most recently used first, and an index
  // by their texts.
  std::list<sqlite3_stmt*> kept_;
  std::map<std::string_view, std::list<sqlite3_stmt*>::iterator> kept_by_text_;
};

// Every table of the backend, oldest first (schema.cc).
const std::vector<std::string_view>& Migrations();

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_H_
