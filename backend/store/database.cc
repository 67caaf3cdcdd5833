#include "backend/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/store/database_error.h"
#include "backend/store/migration_backup.h"
#include "common/log.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

constexpr char kInMemory[] = ":memory:";

// Kinds and results of Database::operations().
enum OperationKind : size_t { kQuery, kTransaction, kCommit };
enum OperationResult : size_t { kOk, kRefused, kFailed };

OperationResult ResultOf(const absl::Status& status) {
  if (status.ok()) return kOk;
  const bool is_refusal =
      !IsDatabaseError(status) || absl::IsAlreadyExists(status);
  return is_refusal ? kRefused : kFailed;
}

// A larger database is checked by "carmectl backup" only, because the check
// reads all of it while users wait for the backend.
constexpr uintmax_t kCheckedAtOpen_bytes = 256 << 20;

// The database contains secrets: the file, and SQLite's files beside it, are
// readable by the owner only.
absl::Status MakePrivate(const std::string& path) {
  if (path == kInMemory) return absl::OkStatus();
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid() || fchmod(fd.get(), 0600) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  return absl::OkStatus();
}

// SQLite treats a null pointer as NULL, whatever the length.
const char* Start(std::string_view bytes) {
  return bytes.data() == nullptr ? "" : bytes.data();
}

}  // namespace

Statement::Statement(Database* database, sqlite3_stmt* statement)
    : database_(database), statement_(statement) {}
Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)) {}
Statement::~Statement() {
  if (statement_ != nullptr) database_->Keep(statement_);
}

Statement& Statement::Bind(int index, std::string_view text) {
  sqlite3_bind_text(statement_, index, Start(text),
                    static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::Bind(int index, int64_t number) {
  sqlite3_bind_int64(statement_, index, number);
  return *this;
}
Statement& Statement::BindBlob(int index, std::string_view bytes) {
  sqlite3_bind_blob(statement_, index, Start(bytes),
                    static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::BindNull(int index) {
  sqlite3_bind_null(statement_, index);
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteError(database_->connection_, sqlite3_sql(statement_));
}

absl::Status Statement::Run() {
  ASSIGN_OR_RETURN(const bool row, Step());
  if (row) return absl::InternalError("database: a write gave a row");
  return absl::OkStatus();
}

std::string Statement::Text(int column) const { return Blob(column); }
std::string Statement::Blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int length = sqlite3_column_bytes(statement_, column);
  return std::string(static_cast<const char*>(bytes), length);
}
int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}
bool Statement::IsNull(int column) const {
  return Type(column) == ColumnType::kNull;
}
ColumnType Statement::Type(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return ColumnType::kInteger;
    case SQLITE_FLOAT:
      return ColumnType::kReal;
    case SQLITE_TEXT:
      return ColumnType::kText;
    case SQLITE_BLOB:
      return ColumnType::kBlob;
    default:
      return ColumnType::kNull;
  }
}
absl::Status Statement::ColumnError(int column,
                                    std::string_view problem) const {
  constexpr const char* kTypes[] = {"NULL", "INTEGER", "REAL", "TEXT", "BLOB"};
  const char* const name = sqlite3_column_name(statement_, column);
  return MarkAsDatabaseError(absl::InternalError(absl::StrCat(
      "database: column \"", name == nullptr ? "" : name, "\" has a value of ",
      kTypes[static_cast<int>(Type(column))], ": ", std::string(problem))));
}

Database::Database(sqlite3* connection) : connection_(connection) {}
Database::~Database() {
  for (sqlite3_stmt* const statement : kept_) sqlite3_finalize(statement);
  sqlite3_close_v2(connection_);
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenForWriting(
    const std::string& path) {
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &connection,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(connection));
  if (code != SQLITE_OK) {
    return SqliteError(connection, absl::StrCat("open \"", path, "\""));
  }
  sqlite3_busy_timeout(connection, 5000);
  RETURN_IF_ERROR(database->Execute("PRAGMA journal_mode=WAL"));
  RETURN_IF_ERROR(database->Execute("PRAGMA synchronous=FULL"));
  RETURN_IF_ERROR(database->Execute("PRAGMA foreign_keys=ON"));
  RETURN_IF_ERROR(database->Execute("PRAGMA trusted_schema=OFF"));
  return database;
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(
    const std::string& path, const std::vector<std::string_view>& migrations) {
  RETURN_IF_ERROR(MakePrivate(path));
  auto database = OpenAndMigrate(path, migrations);
  if (absl::IsResourceExhausted(database.status())) {
    return MarkAsDatabaseError(absl::ResourceExhaustedError(
        absl::StrCat(std::string(database.status().message()),
                     ": free space on the disk of \"", path, "\"")));
  }
  if (!absl::IsDataLoss(database.status())) return database;
  return MarkAsDatabaseError(absl::DataLossError(absl::StrCat(
      "\"", path, "\" is corrupt and was left unchanged (",
      std::string(database.status().message()),
      "): restore a backup with \"carmectl restore FILE --state-dir DIR "
      "--replace\"")));
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenAndMigrate(
    const std::string& path, const std::vector<std::string_view>& migrations) {
  ASSIGN_OR_RETURN(std::unique_ptr<Database> database, OpenForWriting(path));
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (path != kInMemory && !error && bytes <= kCheckedAtOpen_bytes) {
    RETURN_IF_ERROR(database->CheckIntact());
  }
  RETURN_IF_ERROR(database->Migrate(path, migrations));
  return database;
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenExisting(
    const std::string& path, const std::vector<std::string_view>& migrations) {
  if (access(path.c_str(), R_OK | W_OK) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Database> database, OpenForWriting(path));
  ASSIGN_OR_RETURN(const int64_t version, database->Version());
  if (version == static_cast<int64_t>(migrations.size())) return database;
  return absl::FailedPreconditionError(absl::StrCat(
      "\"", path, "\" has schema version ", version, ": expected ",
      migrations.size(), ": use the carmectl of the backend that runs on it"));
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenReadOnly(
    const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &connection,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(connection));
  if (code != SQLITE_OK) {
    return SqliteError(connection, absl::StrCat("open \"", path, "\""));
  }
  sqlite3_busy_timeout(connection, 5000);
  RETURN_IF_ERROR(database->Execute("PRAGMA query_only=ON"));
  RETURN_IF_ERROR(database->Execute("PRAGMA trusted_schema=OFF"));
  return database;
}

absl::Status Database::Execute(const char* sql) {
  if (sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return SqliteError(connection_, sql);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Database::Version() {
  ASSIGN_OR_RETURN(Statement read, Prepare("PRAGMA user_version"));
  RETURN_IF_ERROR(read.Step().status());
  return read.Int(0);
}

absl::Status Database::CheckIntact() {
  ASSIGN_OR_RETURN(Statement check, Prepare("PRAGMA quick_check(1)"));
  RETURN_IF_ERROR(check.Step().status());
  if (check.Text(0) == "ok") return absl::OkStatus();
  return MarkAsDatabaseError(
      absl::DataLossError(absl::StrCat("database: ", check.Text(0))));
}

// "Carme 1.2"; "a newer Carme" if that is not recorded.
std::string Database::ProgramOfVersion(int64_t version) {
  const auto read = [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(
        Statement row,
        Prepare("SELECT program FROM schema_history WHERE version = ?"));
    ASSIGN_OR_RETURN(const bool found, row.Bind(1, version).Step());
    if (!found) return absl::NotFoundError("not recorded");
    return absl::StrCat("Carme ", row.Text(0));
  };
  return read().value_or("a newer Carme");
}

absl::Status Database::RefuseDowngrade(const std::string& path, int64_t version,
                                       int64_t newest) {
  const std::string program = ProgramOfVersion(version);
  const std::string backup = NewestMigrationBackup(path, newest);
  return absl::FailedPreconditionError(absl::StrCat(
      "\"", path, "\" has schema version ", version, " of ", program,
      "; this is Carme ", CARME_VERSION, ", which supports at most ", newest,
      ": install ", program, ", or restore ",
      backup.empty() ? "a backup of an older version"
                     : absl::StrCat("\"", backup, "\""),
      " with \"carmectl restore FILE --state-dir DIR --replace\""));
}

absl::Status Database::ApplyMigration(std::string_view migration,
                                      int64_t version) {
  return Transact([&](Database& self) -> absl::Status {
    RETURN_IF_ERROR(self.Execute(std::string(migration).c_str()));
    RETURN_IF_ERROR(
        self.Execute("CREATE TABLE IF NOT EXISTS schema_history ("
                     "version INTEGER PRIMARY KEY, program TEXT NOT NULL, "
                     "applied_at INTEGER NOT NULL) STRICT"));
    ASSIGN_OR_RETURN(Statement record,
                     self.Prepare("INSERT OR REPLACE INTO schema_history "
                                  "VALUES (?, ?, ?)"));
    RETURN_IF_ERROR(record.Bind(1, version)
                        .Bind(2, std::string_view(CARME_VERSION))
                        .Bind(3, absl::ToUnixMicros(absl::Now()))
                        .Run());
    return self.Execute(absl::StrCat("PRAGMA user_version=", version).c_str());
  });
}

absl::Status Database::Migrate(
    const std::string& path, const std::vector<std::string_view>& migrations) {
  ASSIGN_OR_RETURN(const int64_t version, Version());
  const auto newest = static_cast<int64_t>(migrations.size());
  if (version > newest) return RefuseDowngrade(path, version, newest);
  if (version > 0 && version < newest && path != kInMemory) {
    const auto backup = BackUpBeforeMigration(path, version, absl::Now());
    if (!backup.ok()) {
      return Annotate(backup.status(),
                      "the database is not migrated without a backup");
    }
    LogInfo("migrating the database", {{"from_version", version},
                                       {"to_version", newest},
                                       {"backup", *backup}});
  }
  for (int64_t next = version; next < newest; ++next) {
    RETURN_IF_ERROR(ApplyMigration(migrations[next], next + 1));
  }
  return absl::OkStatus();
}

absl::Status Database::Transact(
    const std::function<absl::Status(Database&)>& body) {
  absl::MutexLock lock(&mutex_);
  OperationMeter::Scope measured(&operations_, kTransaction, kFailed);
  RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  absl::Status status = body(*this);
  Rider* const rider = status.ok() && rider_ != nullptr && rider_->IsWaiting()
                           ? rider_
                           : nullptr;
  const absl::Status boarded = rider == nullptr ? status : Board(*rider);
  if (status.ok()) status = Commit();
  measured.SetResult(ResultOf(status));
  // A failed COMMIT can leave the transaction open; a rollback without a
  // transaction is harmless.
  if (!status.ok()) Execute("ROLLBACK").IgnoreError();
  // Errors of the body and of constraints are not errors of the disk.
  const absl::Status& seen = boarded.ok() ? status : boarded;
  const bool is_of_disk =
      seen.ok() || (IsDatabaseError(seen) && !absl::IsAlreadyExists(seen));
  if (is_of_disk) writes_.Observe(seen, absl::Now());
  if (rider != nullptr) rider->Arrive(boarded.ok() ? status : boarded);
  return status;
}

absl::Status Database::ProbeWrite() {
  return Transact([](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t version, self.Version());
    return self.Execute(absl::StrCat("PRAGMA user_version=", version).c_str());
  });
}

// A full disk can end the whole transaction here; then COMMIT fails.
absl::Status Database::Board(Rider& rider) {
  RETURN_IF_ERROR(Execute("SAVEPOINT rider"));
  const absl::Status boarded = rider.Board(*this);
  if (!boarded.ok()) Execute("ROLLBACK TO rider").IgnoreError();
  const absl::Status released = Execute("RELEASE rider");
  return boarded.ok() ? released : boarded;
}

void Database::Carry(Rider* rider) {
  absl::MutexLock lock(&mutex_);
  rider_ = rider;
}

absl::Status Database::Query(
    const std::function<absl::Status(Database&)>& body) {
  absl::MutexLock lock(&mutex_);
  OperationMeter::Scope measured(&operations_, kQuery, kFailed);
  const absl::Status status = body(*this);
  measured.SetResult(ResultOf(status));
  return status;
}

absl::Status Database::Commit() {
  OperationMeter::Scope measured(&operations_, kCommit, kFailed);
  const absl::Status status = Execute("COMMIT");
  measured.SetResult(ResultOf(status));
  return status;
}

absl::StatusOr<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = TakeKept(sql);
  if (statement == nullptr &&
      sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr) != SQLITE_OK) {
    return SqliteError(connection_, sql);
  }
  return Statement(this, statement);
}

sqlite3_stmt* Database::TakeKept(std::string_view sql) {
  const auto found = kept_by_text_.find(sql);
  if (found == kept_by_text_.end()) return nullptr;
  sqlite3_stmt* const statement = *found->second;
  kept_.erase(found->second);
  kept_by_text_.erase(found);
  return statement;
}

// The result of the last step was already returned. SQLite recompiles the
// statement when the schema changes.
void Database::Keep(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  const std::string_view text = sqlite3_sql(statement);
  if (kept_by_text_.contains(text)) {  // two were in use at the same time
    sqlite3_finalize(statement);
    return;
  }
  kept_.push_front(statement);
  kept_by_text_[text] = kept_.begin();
  if (kept_.size() <= kMaxKept) return;
  sqlite3_stmt* const oldest = kept_.back();
  kept_by_text_.erase(sqlite3_sql(oldest));
  kept_.pop_back();
  sqlite3_finalize(oldest);
}

int64_t Database::Changes() const { return sqlite3_changes(connection_); }

}  // namespace carme::backend
