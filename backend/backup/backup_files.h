// The files of a state directory that a backup has, and the archive in which it
// has them: a tar with `carme-backup/manifest.json` first and then the files.
#ifndef CARME_BACKEND_BACKUP_BACKUP_FILES_H_
#define CARME_BACKEND_BACKUP_BACKUP_FILES_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/backup/tar_writer.h"
#include "carme/backup/v1/manifest.pb.h"
#include "common/unique_fd.h"

namespace carme::backend {

using backup::v1::BackupFile;
using backup::v1::BackupManifest;

inline constexpr char kDatabaseFile[] = "carme.db";
// Created by the backend at its first start; running jobs and open apps depend
// on them.
inline constexpr const char* kKeyFiles[] = {"job_ca.pem", "ticket_seed"};
inline constexpr int kBackupFormat = 1;

// Name, size and SHA-256 of `directory`/`name`.
absl::StatusOr<BackupFile> DescribeFile(const std::string& directory,
                                        const std::string& name);

// Writes the manifest and its files, which are in `directory`, to the new file
// `path` (0600), and makes it durable. RESOURCE_EXHAUSTED: its disk is full.
absl::Status WriteBackupFile(const std::string& path,
                             const BackupManifest& manifest,
                             const std::string& directory, const GoOn& go_on);

// A file to restore, opened before a process drops its privileges.
struct BackupSource {
  static absl::StatusOr<BackupSource> Open(const std::string& path);
  std::string path{};  // for messages
  UniqueFd fd{};
};

// Reads such a file, writes its files to `directory` (0600, durable), and
// checks their sizes and SHA-256. INVALID_ARGUMENT: not a backup, or of an
// unknown format; DATA_LOSS: damaged or incomplete.
absl::StatusOr<BackupManifest> ReadBackupFile(const BackupSource& source,
                                              const std::string& directory,
                                              const GoOn& go_on);

// Makes the entries of the directory durable.
absl::Status SyncDirectory(const std::string& directory);

// The directory `path` for incomplete files, beside what is written. Removed,
// with its files, by the destructor; that of a killed process by the next
// object.
class PartDirectory {
 public:
  // ABORTED: another process uses it.
  static absl::StatusOr<PartDirectory> Create(const std::string& path);
  PartDirectory(PartDirectory&&) noexcept = default;
  ~PartDirectory();

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;

 private:
  PartDirectory(std::string path, UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;  // locked; invalid: moved
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_BACKUP_BACKUP_FILES_H_
