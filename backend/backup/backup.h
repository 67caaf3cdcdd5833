// Backs up a state directory, also while the backend runs on it.
#ifndef CARME_BACKEND_BACKUP_BACKUP_H_
#define CARME_BACKEND_BACKUP_BACKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/backup/backup_files.h"

namespace carme::backend {

struct BackupOptions {
  std::string state_directory;
  std::string file;         // must not exist
  bool with_keys = true;    // false: the file has no keys
  std::string keys_file{};  // then: for the keys; empty: they are not backed up
  absl::Time now{};
  GoOn go_on{};
};

// Copies the database as it is at one moment, checks the copy, and writes it
// with the keys to the file (0600). The file appears complete or not at all.
// Needs room for two copies of the database beside the file. Returns the
// manifest of `file`. ALREADY_EXISTS: a file exists; DATA_LOSS: the database is
// corrupt; FAILED_PRECONDITION: it is of a newer Carme; RESOURCE_EXHAUSTED: a
// disk is full.
absl::StatusOr<BackupManifest> CreateBackup(const BackupOptions& options);

}  // namespace carme::backend

#endif  // CARME_BACKEND_BACKUP_BACKUP_H_
