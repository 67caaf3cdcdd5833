// The backend's database: readable, not damaged, of this release.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/store/database.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kDatabaseMissing{
    "database-missing", Severity::kNote,
    "The backend creates it at its first start; later its loss loses second "
    "factors, jobs and projects."};
constexpr FindingKind kDatabaseDamaged{
    "database-damaged", Severity::kError,
    "The backend cannot read its state, and writing may damage it further."};
constexpr FindingKind kDatabaseOlder{
    "database-older", Severity::kNote,
    "The backend updates it at its next start; older releases cannot read it "
    "afterwards."};
constexpr FindingKind kDatabaseNewer{
    "database-newer", Severity::kError,
    "A newer release wrote it; this release does not start with it."};

struct DatabaseState {
  int64_t version = 0;
  std::string damage;  // empty: none
};

absl::StatusOr<DatabaseState> ReadDatabaseState(const std::string& path) {
  ASSIGN_OR_RETURN(const auto database, backend::Database::OpenReadOnly(path));
  DatabaseState state;
  const auto read_version = [&](backend::Database& connection) -> absl::Status {
    ASSIGN_OR_RETURN(backend::Statement version,
                     connection.Prepare("PRAGMA user_version"));
    RETURN_IF_ERROR(version.Step().status());
    state.version = version.Int(0);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database->Query(read_version));
  RETURN_IF_ERROR(
      database->Query([&](backend::Database& connection) -> absl::Status {
        ASSIGN_OR_RETURN(backend::Statement check,
                         connection.Prepare("PRAGMA quick_check(1)"));
        ASSIGN_OR_RETURN(const bool row, check.Step());
        const std::string result = row ? check.Text(0) : "no result";
        if (result != "ok") state.damage = result;
        return absl::OkStatus();
      }));
  return state;
}

class DatabaseCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "database",
        "the database is not damaged and is of this release",
        {HostRole::kBackend},
        {kDatabaseMissing, kDatabaseDamaged, kDatabaseOlder, kDatabaseNewer}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    if (!host.backend()) return {};
    const std::string& directory = host.backend()->state_directory;
    const std::string path = directory + "/carme.db";
    const std::string restore = FormatMessage(
        host_check_messages::kRestoreRemedy, {{"directory", directory}});
    const auto state = ReadDatabaseState(path);
    if (absl::IsNotFound(state.status())) {
      return {
          {kDatabaseMissing,
           FormatMessage(host_check_messages::kFileMissing, {{"path", path}}),
           FormatMessage(host_check_messages::kDatabaseMissingRemedy,
                         {{"directory", directory}})}};
    }
    if (!state.ok()) {
      return {{kDatabaseDamaged,
               absl::StrCat("\"", path, "\": ", state.status().message()),
               restore}};
    }
    if (!state->damage.empty()) {
      return {{kDatabaseDamaged,
               absl::StrCat("\"", path, "\": ", state->damage), restore}};
    }
    const auto expected = static_cast<int64_t>(backend::Migrations().size());
    const std::string versions = FormatMessage(
        host_check_messages::kSchemaVersion,
        {{"path", path}, {"found", state->version}, {"expected", expected}});
    if (state->version > expected) {
      return {{kDatabaseNewer, versions,
               FormatMessage(host_check_messages::kNewerRemedy,
                             {{"directory", directory}})}};
    }
    if (state->version < expected) {
      return {
          {kDatabaseOlder, versions,
           FormatMessage(host_check_messages::kOlderRemedy, {{"path", path}})}};
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Check> MakeDatabaseCheck() {
  return std::make_unique<DatabaseCheck>();
}

}  // namespace carme::carmectl
