#include "backend/store/database_copy.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "backend/store/database.h"
#include "backend/store/database_error.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

constexpr int kPagesPerStep = 1024;

using Connection = std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)>;

absl::StatusOr<Connection> Connect(const std::string& path, int flags) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection,
                                   flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection owned(connection, sqlite3_close_v2);
  if (code != SQLITE_OK) {
    return SqliteError(connection, absl::StrCat("open \"", path, "\""));
  }
  sqlite3_busy_timeout(connection, 5000);
  return owned;
}

absl::Status RunSql(sqlite3* connection, const char* sql) {
  if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK) {
    return absl::OkStatus();
  }
  return SqliteError(connection, sql);
}

absl::Status CopyPages(sqlite3* from, sqlite3* to,
                       const std::function<absl::Status()>& go_on) {
  sqlite3_backup* const copy = sqlite3_backup_init(to, "main", from, "main");
  if (copy == nullptr) return SqliteError(to, "start the copy");
  absl::Status status;
  int code = SQLITE_OK;
  while (status.ok() && code == SQLITE_OK) {
    code = sqlite3_backup_step(copy, kPagesPerStep);
    status = go_on();
  }
  const int finished = sqlite3_backup_finish(copy);
  RETURN_IF_ERROR(status);
  if (finished != SQLITE_OK) return SqliteError(to, "copy the database");
  return absl::OkStatus();
}

absl::Status Copy(const std::string& from, const std::string& to,
                  const std::function<absl::Status()>& go_on) {
  ASSIGN_OR_RETURN(const Connection source,
                   Connect(from, SQLITE_OPEN_READONLY));
  {
    ASSIGN_OR_RETURN(const Connection target,
                     Connect(to, SQLITE_OPEN_READWRITE));
    RETURN_IF_ERROR(RunSql(target.get(), "PRAGMA journal_mode=OFF"));
    RETURN_IF_ERROR(RunSql(target.get(), "PRAGMA synchronous=OFF"));
    // The transaction keeps all steps at the same state: without it the copy
    // would begin again after each write of another process.
    RETURN_IF_ERROR(RunSql(source.get(), "BEGIN"));
    RETURN_IF_ERROR(RunSql(source.get(), "SELECT count(*) FROM sqlite_master"));
    RETURN_IF_ERROR(CopyPages(source.get(), target.get(), go_on));
  }
  // The copied header demands a write-ahead log beside the file.
  ASSIGN_OR_RETURN(const Connection target, Connect(to, SQLITE_OPEN_READWRITE));
  return RunSql(target.get(), "PRAGMA journal_mode=DELETE");
}

}  // namespace

absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& go_on) {
  if (access(from.c_str(), R_OK) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", from, "\""));
  }
  const UniqueFd fd(
      open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("create \"", to, "\""));
  }
  absl::Status copied = Copy(from, to, go_on);
  if (copied.ok() && fsync(fd.get()) != 0) {
    copied = ErrnoError(errno, absl::StrCat("fsync \"", to, "\""));
  }
  if (copied.ok()) return copied;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    unlink(absl::StrCat(to, suffix).c_str());
  }
  return Annotate(copied, absl::StrCat("copy \"", from, "\" to \"", to, "\""));
}

absl::Status CheckDatabase(const std::string& path) {
  ASSIGN_OR_RETURN(const auto database, Database::OpenReadOnly(path));
  return database->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement check, self.Prepare("PRAGMA quick_check(1)"));
    RETURN_IF_ERROR(check.Step().status());
    if (check.Text(0) == "ok") return absl::OkStatus();
    return MarkAsDatabaseError(absl::DataLossError(
        absl::StrCat("database: \"", path, "\": ", check.Text(0))));
  });
}

}  // namespace carme::backend
