#include "backend/store/migration_backup.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/store/database_copy.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr std::string_view kSuffix = ".backup";

struct MigrationBackup {
  std::string path;
  int64_t version = 0;
  std::string time{};  // sorts as the time does
};

// Oldest first.
std::vector<MigrationBackup> BackupsOf(const std::string& database) {
  const std::filesystem::path path(database);
  const std::string prefix = absl::StrCat(path.filename().string(), ".schema-");
  std::vector<MigrationBackup> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           path.has_parent_path() ? path.parent_path() : ".", error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) continue;
    name = name.substr(prefix.size());
    const size_t dot = name.find('.');
    MigrationBackup backup{.path = entry.path().string()};
    if (!absl::SimpleAtoi(name.substr(0, dot), &backup.version)) continue;
    backup.time = name.substr(dot);
    found.push_back(std::move(backup));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.time < b.time; });
  return found;
}

}  // namespace

absl::StatusOr<std::string> BackUpBeforeMigration(const std::string& database,
                                                  int64_t version,
                                                  absl::Time now) {
  const std::string path =
      absl::StrCat(database, ".schema-", version, ".",
                   absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone()),
                   std::string(kSuffix));
  const std::string part = absl::StrCat(database, ".migration.part");
  unlink(part.c_str());
  RETURN_IF_ERROR(CopyDatabase(database, part));
  if (rename(part.c_str(), path.c_str()) != 0) {
    const absl::Status error =
        ErrnoError(errno, absl::StrCat("rename \"", part, "\""));
    unlink(part.c_str());
    return error;
  }
  const std::vector<MigrationBackup> all = BackupsOf(database);
  for (size_t i = 0; i + kMigrationBackupsKept < all.size(); ++i) {
    if (unlink(all[i].path.c_str()) != 0) {
      LogWarning("old automatic backup cannot be removed",
                 {{"file", all[i].path}});
    }
  }
  return path;
}

std::string NewestMigrationBackup(const std::string& database,
                                  int64_t version) {
  std::string newest;
  for (const MigrationBackup& backup : BackupsOf(database)) {
    if (backup.version <= version) newest = backup.path;
  }
  return newest;
}

}  // namespace carme::backend
