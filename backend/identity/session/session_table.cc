#include "backend/identity/session/session_table.h"

#include <utility>

#include "backend/identity/session/table_rows.h"
#include "common/status.h"

namespace carme::backend {
namespace {

SessionRow SessionRowOf(const Statement& row) {
  SessionRow read{.session = {.id = SessionId(row.Text(0)),
                              .username = row.Text(1),
                              .display_name = row.Text(2),
                              .uid = Uid(static_cast<uint32_t>(row.Int(3))),
                              .role = RoleNamed(row.Text(4)),
                              .created_at = TimeAt(row, 5),
                              .expires_at = TimeAt(row, 6),
                              .reauthenticated_until = TimeAt(row, 7)},
                  .token_hash = row.Blob(8),
                  .user_agent = row.Text(9),
                  .address = row.Text(10),
                  .last_address = row.Text(11),
                  .used_at = TimeAt(row, 12)};
  if (!row.IsNull(13)) read.ended_at = TimeAt(row, 13);
  return read;
}

}  // namespace

absl::StatusOr<std::vector<SessionRow>> SessionTable::Read(absl::Time now) {
  return ReadRows<SessionRow>(
      database_,
      "SELECT id, username, display_name, uid, role, created_at, "
      "expires_at, reauthenticated_until, token_hash, user_agent, "
      "client_address, last_address, used_at, ended_at "
      "FROM sessions WHERE expires_at > ?1",
      now, SessionRowOf);
}

absl::Status SessionTable::Insert(const SessionRow& row) {
  const Session& session = row.session;
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO sessions (id, token_hash, username, "
                   "display_name, uid, role, client_address, user_agent, "
                   "created_at, used_at, expires_at, reauthenticated_until, "
                   "last_address) "
                   "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)"));
    return write.Bind(1, session.id.value())
        .BindBlob(2, row.token_hash)
        .Bind(3, session.username)
        .Bind(4, session.display_name)
        .Bind(5, static_cast<int64_t>(session.uid.value()))
        .Bind(6, RoleName(session.role))
        .Bind(7, row.address)
        .Bind(8, row.user_agent)
        .Bind(9, absl::ToUnixMicros(session.created_at))
        .Bind(10, absl::ToUnixMicros(row.used_at))
        .Bind(11, absl::ToUnixMicros(session.expires_at))
        .Bind(12, absl::ToUnixMicros(session.reauthenticated_until))
        .Bind(13, row.last_address)
        .Run();
  });
}

absl::Status SessionTable::WriteUses(const std::vector<SessionRow>& rows) {
  return WriteEach(database_,
                   "UPDATE sessions SET used_at=?2, last_address=?3, role=?4 "
                   "WHERE id=?1",
                   rows, [](const SessionRow& row, Statement& write) {
                     write.Bind(1, row.session.id.value())
                         .Bind(2, absl::ToUnixMicros(row.used_at))
                         .Bind(3, row.last_address)
                         .Bind(4, RoleName(row.session.role));
                   });
}

absl::Status SessionTable::WriteFresh(const SessionId& id, absl::Time until) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("UPDATE sessions SET reauthenticated_until=?2 WHERE id=?1"));
    return write.Bind(1, id.value()).Bind(2, absl::ToUnixMicros(until)).Run();
  });
}

absl::Status SessionTable::WriteEnds(const std::vector<End>& ends) {
  return WriteEach(
      database_, "UPDATE sessions SET ended_at=?2 WHERE id=?1", ends,
      [](const End& end, Statement& write) {
        write.Bind(1, end.id.value()).Bind(2, absl::ToUnixMicros(end.at));
      });
}

absl::Status SessionTable::DeleteExpired(absl::Time now) {
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM sessions WHERE expires_at<=?1"));
    return write.Bind(1, absl::ToUnixMicros(now)).Run();
  });
}

}  // namespace carme::backend
