// The copies of a database that are made before it is migrated, beside it:
// carme.db.schema-19.20261123T180000Z.backup
#ifndef CARME_BACKEND_STORE_MIGRATION_BACKUP_H_
#define CARME_BACKEND_STORE_MIGRATION_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::backend {

inline constexpr int kMigrationBackupsKept = 3;

// Copies the database, which has schema `version`, and then removes all but the
// newest kMigrationBackupsKept copies. Returns the path of the copy. Errors of
// CopyDatabase().
absl::StatusOr<std::string> BackUpBeforeMigration(const std::string& database,
                                                  int64_t version,
                                                  absl::Time now);

// The newest copy with a schema of at most `version`; empty: there is none.
std::string NewestMigrationBackup(const std::string& database, int64_t version);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_MIGRATION_BACKUP_H_
