#include "backend/identity/notices.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {

absl::Status WriteNotice(Database& db, Uid uid, std::string_view text,
                         absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare("INSERT INTO notices (uid, at, text) VALUES (?1,?2,?3)"));
  RETURN_IF_ERROR(insert.Bind(1, int64_t{uid.value()})
                      .Bind(2, absl::ToUnixMicros(now))
                      .Bind(3, text)
                      .Run());
  ASSIGN_OR_RETURN(Statement prune,
                   db.Prepare("DELETE FROM notices WHERE uid=?1 AND id NOT IN "
                              "(SELECT id FROM notices WHERE uid=?1 "
                              "ORDER BY id DESC LIMIT ?2)"));
  return prune.Bind(1, int64_t{uid.value()})
      .Bind(2, Notices::kMostPerAccount)
      .Run();
}

absl::Status Notices::Add(Uid uid, std::string_view text) {
  return database_.Transact(
      [&](Database& db) { return WriteNotice(db, uid, text, clock_.Now()); });
}

absl::StatusOr<std::vector<Notice>> Notices::List(Uid uid) {
  std::vector<Notice> list;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row,
                     db.Prepare("SELECT id, at, text FROM notices "
                                "WHERE uid=?1 AND dismissed_at IS NULL "
                                "ORDER BY id DESC LIMIT ?2"));
    row.Bind(1, int64_t{uid.value()}).Bind(2, kMostPerAccount);
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      list.push_back(
          {row.Int(0), absl::FromUnixMicros(row.Int(1)), row.Text(2)});
    }
  }));
  return list;
}

absl::Status Notices::Dismiss(Uid uid, int64_t id) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("UPDATE notices SET dismissed_at=?3 WHERE id=?1 AND uid=?2 "
                   "AND dismissed_at IS NULL"));
    RETURN_IF_ERROR(write.Bind(1, id)
                        .Bind(2, int64_t{uid.value()})
                        .Bind(3, absl::ToUnixMicros(clock_.Now()))
                        .Run());
    if (db.Changes() == 1) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat("no notice ", id, " of yours"));
  });
}

}  // namespace carme
