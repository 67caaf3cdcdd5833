#include "backend/backup/backup.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_table.h"
#include "backend/backup/messages.h"
#include "backend/store/database.h"
#include "backend/store/database_copy.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kArchive[] = "archive";
constexpr char kConfiguration[] =
    "configuration, certificates and passwords (/etc/carme): they are in the "
    "site's configuration management";
constexpr char kKeysApart[] =
    "keys of the job CA and of the tickets: in a file of their own";
constexpr char kNoKeys[] =
    "keys of the job CA and of the tickets: without them running jobs cannot "
    "be opened after a restore";

absl::Status CheckNew(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return absl::OkStatus();
  return MakePlainError(backup_messages::kFileExists, {{"path", path}});
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Never replaces a file.
absl::Status PutInPlace(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return SyncDirectory(DirectoryOf(to));
  }
  if (errno == EINVAL) {  // a file system without RENAME_NOREPLACE
    if (link(from.c_str(), to.c_str()) == 0) {
      return SyncDirectory(DirectoryOf(to));
    }
  }
  return ErrnoError(errno, absl::StrCat("create \"", to, "\""));
}

// The schema version and the audit head of the copy.
absl::Status DescribeDatabase(const std::string& path,
                              BackupManifest* manifest) {
  ASSIGN_OR_RETURN(const auto database, Database::OpenReadOnly(path));
  const auto read_version = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, self.Prepare("PRAGMA user_version"));
    RETURN_IF_ERROR(row.Step().status());
    manifest->set_schema_version(row.Int(0));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database->Query(read_version));
  const auto newest = static_cast<int64_t>(Migrations().size());
  if (manifest->schema_version() < 1 || manifest->schema_version() > newest) {
    return MakePlainError(
        backup_messages::kSchemaVersion,
        {{"found", manifest->schema_version()}, {"newest", newest}});
  }
  ASSIGN_OR_RETURN(const ChainHead head, ReadHead(database.get()));
  manifest->set_audit_entries(head.sequence);
  manifest->set_audit_head(HexEncode(head.hash));
  return absl::OkStatus();
}

absl::Status CopyKeys(const std::string& from, const std::string& to,
                      BackupManifest* manifest) {
  for (const char* const name : kKeyFiles) {
    ASSIGN_OR_RETURN(const std::string content,
                     ReadFile(absl::StrCat(from, "/", name)));
    RETURN_IF_ERROR(WriteFile(absl::StrCat(to, "/", name), content, 0600));
    ASSIGN_OR_RETURN(*manifest->add_files(), DescribeFile(to, name));
  }
  return absl::OkStatus();
}

BackupManifest NewManifest(absl::Time now) {
  utsname host{};
  uname(&host);
  BackupManifest manifest;
  manifest.set_format(kBackupFormat);
  manifest.set_backup_id(HexEncode(RandomBytes(16)));
  manifest.mutable_created_at()->set_seconds(absl::ToUnixSeconds(now));
  manifest.set_carme_version(CARME_VERSION);
  manifest.set_host(host.nodename);
  manifest.add_not_included(kConfiguration);
  return manifest;
}

}  // namespace

absl::StatusOr<BackupManifest> CreateBackup(const BackupOptions& options) {
  const bool apart = !options.keys_file.empty();
  RETURN_IF_ERROR(CheckNew(options.file));
  if (apart) RETURN_IF_ERROR(CheckNew(options.keys_file));
  if (apart && options.keys_file == options.file) {
    return MakePlainError(backup_messages::kSameFile);
  }
  ASSIGN_OR_RETURN(const PartDirectory part,
                   PartDirectory::Create(options.file + ".part"));
  std::optional<PartDirectory> keys_part;
  if (apart) {
    ASSIGN_OR_RETURN(PartDirectory made,
                     PartDirectory::Create(options.keys_file + ".part"));
    keys_part.emplace(std::move(made));
  }
  BackupManifest manifest = NewManifest(options.now);
  const std::string copy = part.File(kDatabaseFile);
  RETURN_IF_ERROR(
      CopyDatabase(absl::StrCat(options.state_directory, "/", kDatabaseFile),
                   copy, options.go_on));
  RETURN_IF_ERROR(CheckDatabase(copy));
  RETURN_IF_ERROR(DescribeDatabase(copy, &manifest));
  BackupManifest keys = manifest;
  ASSIGN_OR_RETURN(*manifest.add_files(),
                   DescribeFile(part.path(), kDatabaseFile));
  if (options.with_keys) {
    RETURN_IF_ERROR(CopyKeys(options.state_directory, part.path(), &manifest));
  } else {
    manifest.add_not_included(apart ? kKeysApart : kNoKeys);
  }
  if (apart) {
    RETURN_IF_ERROR(
        CopyKeys(options.state_directory, keys_part->path(), &keys));
    RETURN_IF_ERROR(WriteBackupFile(keys_part->File(kArchive), keys,
                                    keys_part->path(), options.go_on));
  }
  RETURN_IF_ERROR(WriteBackupFile(part.File(kArchive), manifest, part.path(),
                                  options.go_on));
  if (apart) {
    RETURN_IF_ERROR(PutInPlace(keys_part->File(kArchive), options.keys_file));
  }
  const absl::Status done = PutInPlace(part.File(kArchive), options.file);
  if (done.ok()) return manifest;
  if (apart) unlink(options.keys_file.c_str());
  return done;
}

}  // namespace carme::backend
