// SQLite with what every table of ours needs: WAL, synchronous=FULL, versioned
// migrations, statements that cannot leak. One connection behind one mutex:
// the writes are few, and SQLite has one writer anyway.
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

struct sqlite3;
struct sqlite3_stmt;

namespace carme::backend {

class Database;

// A prepared statement with its bindings; lives within one Transaction or
// Query, and is kept, without them, for the next one with the same text.
// Columns and parameters count from 0 and from 1, as in SQLite.
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
  Statement(Database* database, sqlite3_stmt* statement);
  Database* database_;
  sqlite3_stmt* statement_;
};

// Goes along with transactions: what waits to be written shares the sync of the
// next one, whosesoever it is. Both calls come with the database locked, so
// they must not use it but for what Board is given.
class Rider {
 public:
  virtual ~Rider() = default;
  // Whether to call Board at the end of this transaction.
  virtual bool IsWaiting() = 0;
  // Writes within the transaction. An error takes back what it wrote, and does
  // not concern the transaction itself.
  virtual absl::Status Board(Database& database) = 0;
  // OK: what Board wrote is on the disk.
  virtual void Arrive(const absl::Status& status) = 0;
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
  // To write into what the backend has made, while it runs or not: makes and
  // migrates nothing. NOT_FOUND; FAILED_PRECONDITION: another version's.
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
  // From now on `rider` goes along with every transaction; null: nobody does.
  // It outlives the database, or is taken off before.
  void Carry(Rider* rider);
  // Runs `body` without a transaction: single reads or single writes.
  absl::Status Query(const std::function<absl::Status(Database&)>& body);
  // Compiles it, unless it was among the last that were used. REQUIRES: inside
  // a body.
  absl::StatusOr<Statement> Prepare(std::string_view sql);
  int64_t Changes() const;  // rows of the last write; REQUIRES: inside a body

  // Whether the disk takes what is written, as the newest transaction showed.
  const Availability& writes() const { return writes_; }
  // Finds out by writing one page, without a change.
  absl::Status ProbeWrite();

 private:
  friend class Statement;
  // Compiling some of them takes as long as running all of a submission's.
  static constexpr size_t kMostKept = 64;

  explicit Database(sqlite3* connection);
  static absl::StatusOr<std::unique_ptr<Database>> OpenForWriting(
      const std::string& path);
  absl::StatusOr<int64_t> Version();
  absl::Status Execute(const char* sql);
  absl::Status Migrate(const std::vector<std::string_view>& migrations);
  absl::Status Board(Rider& rider);
  // Takes back one that was used; afterwards nothing of what was bound to it is
  // left.
  void Keep(sqlite3_stmt* statement);
  sqlite3_stmt* TakeKept(std::string_view sql);
  absl::Mutex mutex_;
  sqlite3* connection_;
  Rider* rider_ = nullptr;
  Availability writes_;
  // Not in use, the one that was used last first; and by their texts, which are
  // theirs.
  std::list<sqlite3_stmt*> kept_;
  std::map<std::string_view, std::list<sqlite3_stmt*>::iterator> kept_by_text_;
};

// Every table of the backend, oldest first (schema.cc).
const std::vector<std::string_view>& Migrations();

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_H_
