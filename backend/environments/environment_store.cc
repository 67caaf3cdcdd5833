#include "backend/environments/environment_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/environments/messages.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<StoredEnvironment>& EnvironmentColumns() {
  static const auto* const columns = new RowMapper<StoredEnvironment>({
      {"name", &StoredEnvironment::name},
      {"text", &StoredEnvironment::text},
      {"revision", &StoredEnvironment::revision},
      {"changed_at", &StoredEnvironment::changed_at},
  });
  return *columns;
}

// The revision of an environment; 0: not found.
absl::StatusOr<int64_t> RevisionOf(Database& db, int64_t uid,
                                   const std::string& name) {
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT revision FROM environments "
                              "WHERE uid=?1 AND name=?2"));
  ASSIGN_OR_RETURN(const bool found, read.Bind(1, uid).Bind(2, name).Step());
  return found ? read.Int(0) : 0;
}

absl::StatusOr<int64_t> NumberOf(Database& db, int64_t uid, const char* what) {
  ASSIGN_OR_RETURN(Statement read, db.Prepare(absl::StrCat(
                                       "SELECT coalesce(", what,
                                       ", 0) FROM environments WHERE uid=?1")));
  RETURN_IF_ERROR(read.Bind(1, uid).Step().status());
  return read.Int(0);
}

absl::Status CheckRevision(const std::string& name, int64_t found,
                           int64_t expected) {
  if (found == expected) return absl::OkStatus();
  if (expected == 0) {
    return MakeError(environment_messages::kAlreadyExists,
                     {{"environment", name}});
  }
  if (found == 0) {
    return MakeError(environment_messages::kDeletedMeanwhile,
                     {{"environment", name}});
  }
  return MakeError(environment_messages::kChangedMeanwhile,
                   {{"environment", name}});
}

}  // namespace

absl::StatusOr<std::vector<StoredEnvironment>> EnvironmentStore::List(Uid uid) {
  static const RowMapper<StoredEnvironment> listed =
      EnvironmentColumns().Only({"name", "revision", "changed_at"});
  std::vector<StoredEnvironment> list;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows,
                     db.Prepare(absl::StrCat("SELECT ", listed.list(),
                                             " FROM environments WHERE uid=?1 "
                                             "ORDER BY name")));
    rows.Bind(1, static_cast<int64_t>(uid.value()));
    ASSIGN_OR_RETURN(list, listed.ReadAll(rows));
    return absl::OkStatus();
  }));
  return list;
}

absl::StatusOr<StoredEnvironment> EnvironmentStore::Find(
    Uid uid, const std::string& name) {
  std::optional<StoredEnvironment> environment;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(absl::StrCat(
                                        "SELECT ", EnvironmentColumns().list(),
                                        " FROM environments WHERE uid=?1 "
                                        "AND name=?2")));
    row.Bind(1, static_cast<int64_t>(uid.value())).Bind(2, name);
    ASSIGN_OR_RETURN(environment, EnvironmentColumns().ReadFirst(row));
    return absl::OkStatus();
  }));
  if (!environment) return MakeError(environment_messages::kNotFound);
  return *std::move(environment);
}

absl::StatusOr<StoredEnvironment> EnvironmentStore::Save(
    Uid uid, const std::string& name, const std::string& text, int64_t revision,
    absl::Time now, int max) {
  const auto owner = static_cast<int64_t>(uid.value());
  int64_t next = 0;
  const absl::Status saved =
      database_.Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(const int64_t found, RevisionOf(db, owner, name));
        RETURN_IF_ERROR(CheckRevision(name, found, revision));
        ASSIGN_OR_RETURN(const int64_t count, NumberOf(db, owner, "count(*)"));
        if (found == 0 && count >= max) {
          return MakeError(environment_messages::kTooMany,
                           {{"environments", count}, {"max", max}});
        }
        // A new environment never reuses the revision of a deleted one.
        // Otherwise a window that still shows the deleted environment could
        // overwrite the new one of the same name.
        ASSIGN_OR_RETURN(const int64_t last,
                         NumberOf(db, owner, "max(revision)"));
        next = std::max(last + 1, absl::ToUnixMicros(now));
        ASSIGN_OR_RETURN(
            Statement write,
            db.Prepare("INSERT INTO environments (uid, name, text, revision, "
                       "changed_at) VALUES (?1,?2,?3,?4,?5) "
                       "ON CONFLICT (uid, name) DO UPDATE SET "
                       "text=?3, revision=?4, changed_at=?5"));
        return write.Bind(1, owner)
            .Bind(2, name)
            .Bind(3, text)
            .Bind(4, next)
            .Bind(5, absl::ToUnixMicros(now))
            .Run();
      });
  RETURN_IF_ERROR(saved);
  return StoredEnvironment{
      .name = name, .text = text, .revision = next, .changed_at = now};
}

absl::Status EnvironmentStore::Delete(Uid uid, const std::string& name) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("DELETE FROM environments WHERE uid=?1 AND name=?2"));
    RETURN_IF_ERROR(
        write.Bind(1, static_cast<int64_t>(uid.value())).Bind(2, name).Run());
    if (db.Changes() > 0) return absl::OkStatus();
    return MakeError(environment_messages::kNotFound);
  });
}

}  // namespace carme::backend
