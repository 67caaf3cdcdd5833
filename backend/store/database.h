// SQLite with what every table of ours needs: WAL, synchronous=FULL, versioned
// migrations, statements that cannot leak. One connection behind one mutex:
// the writes are few, and SQLite has one writer anyway.
#ifndef CARME_BACKEND_STORE_DATABASE_H_
#define CARME_BACKEND_STORE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

struct sqlite3;
struct sqlite3_stmt;

namespace carme {

// A prepared statement with its bindings; lives within one Transaction or
// Query. Columns and parameters count from 0 and from 1, as in SQLite.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  ~Statement();
  Statement& Bind(int index, std::string_view text);
  Statement& Bind(int index, int64_t number);
  Statement& BindBlob(int index, std::string_view bytes);
  Statement& BindNull(int index);
  // True: a row is there. False: done.
  absl::StatusOr<bool> Step();
  // For statements that give no row.
  absl::Status Run();
  std::string Text(int column) const;
  std::string Blob(int column) const;
  int64_t Int(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Database;
  Statement(sqlite3* connection, sqlite3_stmt* statement);
  sqlite3* connection_;
  sqlite3_stmt* statement_;
};

// Thread-safe. Invariants: foreign keys are on; a transaction that returned OK
// is on the disk; user_version is the number of migrations applied.
class Database {
 public:
  // Applies each migration once, in order, each in a transaction of its own.
  // FAILED_PRECONDITION: the file is newer than this program; a disk that is
  // full is RESOURCE_EXHAUSTED. The file is made, or left, with mode 0600.
  // `path` may be ":memory:" in tests.
  static absl::StatusOr<std::unique_ptr<Database>> Open(
      const std::string& path, const std::vector<std::string_view>& migrations);
  // Never writes to the file, which may be in use by the backend. NOT_FOUND,
  // PERMISSION_DENIED; UNAVAILABLE: SQLite cannot open it.
  static absl::StatusOr<std::unique_ptr<Database>> OpenReadOnly(
      const std::string& path);
  ~Database();

  // Runs `body` in BEGIN IMMEDIATE … COMMIT; rolls back when it returns an
  // error. `body` must not call Transact or Query again.
  absl::Status Transact(const std::function<absl::Status(Database&)>& body);
  // Runs `body` without a transaction: single reads or single writes.
  absl::Status Query(const std::function<absl::Status(Database&)>& body);
  // REQUIRES: inside a body.
  absl::StatusOr<Statement> Prepare(std::string_view sql);
  int64_t Changes() const;  // rows of the last write; REQUIRES: inside a body

 private:
  explicit Database(sqlite3* connection);
  absl::Status Execute(const char* sql);
  absl::Status Migrate(const std::vector<std::string_view>& migrations);
  absl::Mutex mutex_;
  sqlite3* connection_;
};

// Every table of the backend, oldest first (schema.cc).
const std::vector<std::string_view>& Migrations();

}  // namespace carme

#endif  // CARME_BACKEND_STORE_DATABASE_H_
