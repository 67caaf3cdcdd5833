#include "backend/backup/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_table.h"
#include "backend/backup/messages.h"
#include "backend/store/database.h"
#include "backend/store/database_copy.h"
#include "backend/store/state_lock.h"
#include "common/crypto/file_digest.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// A code is valid in the step of its time, the one before and the one after.
constexpr int64_t kTotpStep_s = 30;

// The database, and what SQLite keeps beside it.
const std::vector<std::string>& DatabaseFiles() {
  static const auto* const files = new std::vector<std::string>{
      kDatabaseFile, absl::StrCat(kDatabaseFile, "-wal"),
      absl::StrCat(kDatabaseFile, "-shm")};
  return *files;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

absl::Status CheckMayReplace(const RestoreOptions& options) {
  std::vector<std::string> names = DatabaseFiles();
  names.insert(names.end(), std::begin(kKeyFiles), std::end(kKeyFiles));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(options.state_directory, "/", name);
    if (!Exists(path) || options.replace) continue;
    return MakePlainError(backup_messages::kStateExists, {{"path", path}});
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsDatabase(const BackupSource& source) {
  char magic[16] = {};
  const ssize_t got = pread(source.fd.get(), magic, sizeof magic, 0);
  if (got < 0) {
    return ErrnoError(errno, absl::StrCat("read \"", source.path, "\""));
  }
  return std::string_view(magic, 15) == "SQLite format 3";
}

// The copy of a database that was made before a migration; returns its time.
absl::StatusOr<absl::Time> CopySource(const BackupSource& source,
                                      const std::string& path) {
  struct stat info {};
  if (fstat(source.fd.get(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("stat \"", source.path, "\""));
  }
  const UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("create \"", path, "\""));
  }
  lseek(source.fd.get(), 0, SEEK_SET);
  RETURN_IF_ERROR(CopyWithSha256(source.fd.get(), fd.get(), info.st_size,
                                 absl::StrCat("copy \"", source.path, "\""))
                      .status());
  if (fsync(fd.get()) != 0) {
    return ErrnoError(errno, absl::StrCat("fsync \"", path, "\""));
  }
  return absl::FromUnixSeconds(info.st_mtime);
}

// Reads the backup into the directory; returns the time of its state.
absl::StatusOr<absl::Time> ReadState(const RestoreOptions& options,
                                     const std::string& directory) {
  const std::string database = absl::StrCat(directory, "/", kDatabaseFile);
  ASSIGN_OR_RETURN(const bool is_database, IsDatabase(options.file));
  if (is_database) return CopySource(options.file, database);
  ASSIGN_OR_RETURN(const BackupManifest manifest,
                   ReadBackupFile(options.file, directory, options.go_on));
  if (!Exists(database)) {
    return MakePlainError(backup_messages::kNoDatabase,
                          {{"path", options.file.path}});
  }
  if (options.keys_file) {
    ASSIGN_OR_RETURN(
        const BackupManifest keys,
        ReadBackupFile(*options.keys_file, directory, options.go_on));
    if (keys.backup_id() != manifest.backup_id()) {
      return MakePlainError(
          backup_messages::kKeysOfAnother,
          {{"keys", options.keys_file->path}, {"path", options.file.path}});
    }
  }
  return absl::FromUnixSeconds(manifest.created_at().seconds());
}

absl::StatusOr<int64_t> RunUpdate(Database& database, const char* sql,
                                  int64_t value) {
  ASSIGN_OR_RETURN(Statement update, database.Prepare(sql));
  RETURN_IF_ERROR(update.Bind(1, value).Run());
  return database.Changes();
}

// What has ended or was used since the backup must not become valid again.
absl::Status EndCredentials(Database& database, const RestoreOptions& options,
                            RestoreResult* result) {
  const int64_t now = absl::ToUnixMicros(options.now);
  ASSIGN_OR_RETURN(
      result->sessions_ended,
      RunUpdate(database,
                "UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL",
                now));
  if (!options.keep_tokens) {
    ASSIGN_OR_RETURN(result->tokens_revoked,
                     RunUpdate(database,
                               "UPDATE access_tokens SET revoked_at = ? "
                               "WHERE revoked_at IS NULL",
                               now));
  }
  const int64_t step = absl::ToUnixSeconds(options.now) / kTotpStep_s + 1;
  return RunUpdate(database,
                   "UPDATE second_factors SET counter = max(counter, ?) "
                   "WHERE kind = 'totp'",
                   step)
      .status();
}

absl::Status RecordRestore(Database& database, const ChainHead& head,
                           const RestoreOptions& options,
                           const RestoreResult& result) {
  AuditEntry entry{
      .sequence = head.sequence + 1,
      .at = absl::ToUnixMicros(options.now),
      .act = "restore",
      .actor = options.actor,
      .actor_uid = int64_t{options.actor_uid.value()},
      .subject = kDatabaseFile,
      .decision = "allow",
      .result = absl::StrCat("backup of ", absl::FormatTime(result.backup_at),
                             ": ", result.sessions_ended, " sessions ended, ",
                             result.tokens_revoked, " tokens revoked")};
  entry.hash = ChainHash(head.hash, entry);
  RETURN_IF_ERROR(AppendEntriesIn(database, {entry}));
  ASSIGN_OR_RETURN(Statement insert,
                   database.Prepare("INSERT OR REPLACE INTO restores "
                                    "(restored_at, backup_at) VALUES (?, ?)"));
  return insert.Bind(1, absl::ToUnixMicros(options.now))
      .Bind(2, absl::ToUnixMicros(result.backup_at))
      .Run();
}

// Migrates the database and ends what must not come back.
absl::Status PrepareDatabase(const std::string& path,
                             const RestoreOptions& options,
                             RestoreResult* result) {
  RETURN_IF_ERROR(CheckDatabase(path));
  ASSIGN_OR_RETURN(const auto database, Database::Open(path, Migrations()));
  ASSIGN_OR_RETURN(const ChainHead head, ReadHead(database.get()));
  result->audit_entries = head.sequence;
  result->audit_head = HexEncode(head.hash);
  return database->Transact([&](Database& self) -> absl::Status {
    RETURN_IF_ERROR(EndCredentials(self, options, result));
    return RecordRestore(self, head, options, *result);
  });
}

absl::Status Move(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return ErrnoError(errno,
                    absl::StrCat("rename \"", from, "\" to \"", to, "\""));
}

// The files of the new state, which replace the present ones.
std::vector<std::string> FilesIn(const std::string& staged) {
  std::vector<std::string> names = {kDatabaseFile};
  for (const char* const name : kKeyFiles) {
    if (Exists(absl::StrCat(staged, "/", name))) names.push_back(name);
  }
  return names;
}

// Moves the present files away, if there are any.
absl::Status KeepPresentFiles(const std::vector<std::string>& present,
                              const RestoreOptions& options,
                              const std::string& kept) {
  if (present.empty()) return absl::OkStatus();
  for (const std::string& name : present) {
    RETURN_IF_ERROR(Move(absl::StrCat(options.state_directory, "/", name),
                         absl::StrCat(kept, "/", name)));
  }
  return SyncDirectory(kept);
}

// Moves the staged files into place. From the creation of the marker to its
// removal the backend refuses to start; what may need space is done before.
absl::Status Commit(const std::string& staged, const RestoreOptions& options,
                    RestoreResult* result) {
  const std::string& directory = options.state_directory;
  const std::vector<std::string> names = FilesIn(staged);
  std::vector<std::string> present = names;
  present.insert(present.end(), DatabaseFiles().begin() + 1,
                 DatabaseFiles().end());
  std::erase_if(present, [&](const std::string& name) {
    return !Exists(absl::StrCat(directory, "/", name));
  });
  if (!present.empty()) {
    result->replaced = absl::StrCat(
        directory, "/before-restore-",
        absl::FormatTime("%Y%m%dT%H%M%E3SZ", options.now, absl::UTCTimeZone()));
    if (mkdir(result->replaced.c_str(), 0700) != 0) {
      return ErrnoError(errno,
                        absl::StrCat("create \"", result->replaced, "\""));
    }
  }
  RETURN_IF_ERROR(SyncDirectory(staged));
  const std::string marker = absl::StrCat(directory, "/", kRestoreMarker);
  RETURN_IF_ERROR(WriteFile(marker, "", 0600));
  RETURN_IF_ERROR(KeepPresentFiles(present, options, result->replaced));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(Move(absl::StrCat(staged, "/", name),
                         absl::StrCat(directory, "/", name)));
  }
  RETURN_IF_ERROR(SyncDirectory(directory));
  if (unlink(marker.c_str()) != 0) {
    return ErrnoError(errno, absl::StrCat("unlink \"", marker, "\""));
  }
  return SyncDirectory(directory);
}

}  // namespace

absl::StatusOr<RestoreResult> RestoreBackup(const RestoreOptions& options) {
  const std::string& directory = options.state_directory;
  ASSIGN_OR_RETURN(const StateLock lock, StateLock::Take(directory));
  RETURN_IF_ERROR(CheckMayReplace(options));
  ASSIGN_OR_RETURN(const PartDirectory part, PartDirectory::Create(absl::StrCat(
                                                 directory, "/restore.part")));
  RestoreResult result;
  ASSIGN_OR_RETURN(result.backup_at, ReadState(options, part.path()));
  RETURN_IF_ERROR(PrepareDatabase(part.File(kDatabaseFile), options, &result));
  RETURN_IF_ERROR(options.go_on());
  RETURN_IF_ERROR(Commit(part.path(), options, &result));
  result.has_keys = std::all_of(
      std::begin(kKeyFiles), std::end(kKeyFiles), [&](const char* name) {
        return Exists(absl::StrCat(directory, "/", name));
      });
  return result;
}

}  // namespace carme::backend
