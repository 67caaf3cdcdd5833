// Restores a state directory from a backup, while no backend runs on it.
#ifndef CARME_BACKEND_BACKUP_RESTORE_H_
#define CARME_BACKEND_BACKUP_RESTORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/backup/backup_files.h"
#include "common/ids.h"

namespace carme::backend {

struct RestoreOptions {
  std::string state_directory;  // exists, and belongs to the process's user
  // Of CreateBackup(), or a database: a copy that was made before a migration.
  BackupSource file{};
  // With the keys; absent: none, or they are in `file`.
  std::optional<BackupSource> keys_file{};
  bool replace = false;      // a state that exists
  bool keep_tokens = false;  // access tokens stay valid
  std::string actor{};       // for the audit log
  Uid actor_uid{};
  absl::Time now{};
  GoOn go_on{};
};

struct RestoreResult {
  absl::Time backup_at;       // of the state that was restored
  int64_t audit_entries = 0;  // of the backup
  std::string audit_head;     // the newest one's hash, in hexadecimal
  std::string replaced;       // where the replaced files are; empty: none
  bool has_keys = false;      // the directory has keys now
  int64_t sessions_ended = 0;
  int64_t tokens_revoked = 0;
};

// Checks the backup completely before it changes the directory, and then moves
// the files: a process that is killed leaves the old state, the new state, or a
// directory for which CheckStateComplete() fails. Keys that the backup does not
// have stay. What a restore must not bring back ends in the restored database:
// sessions, access tokens, and TOTP codes that are valid now.
//
// FAILED_PRECONDITION: a backend runs on the directory, it has a state and
// `replace` is not set, or the backup is of a newer Carme; INVALID_ARGUMENT:
// not a backup, or keys of another; DATA_LOSS: the backup is damaged.
absl::StatusOr<RestoreResult> RestoreBackup(const RestoreOptions& options);

}  // namespace carme::backend

#endif  // CARME_BACKEND_BACKUP_RESTORE_H_
