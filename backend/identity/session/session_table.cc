#include "backend/identity/session/session_table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<SessionRow>& SessionColumns() {
  static const auto* const columns = new RowMapper<SessionRow>({
      {"id", Member(&SessionRow::session, &Session::id)},
      {"username", Member(&SessionRow::session, &Session::username)},
      {"display_name", Member(&SessionRow::session, &Session::display_name)},
      {"uid", Member(&SessionRow::session, &Session::uid)},
      ConvertedColumn<SessionRow, std::string>(
          "role",
          [](const SessionRow& row) {
            return std::string(RoleName(row.session.role));
          },
          [](const std::string& role, SessionRow* row) {
            row->session.role = RoleNamed(role);
          }),
      {"created_at", Member(&SessionRow::session, &Session::created_at)},
      {"expires_at", Member(&SessionRow::session, &Session::expires_at)},
      {"reauthenticated_until",
       Member(&SessionRow::session, &Session::reauthenticated_until)},
      BlobColumn<SessionRow>("token_hash", &SessionRow::token_hash),
      {"user_agent", &SessionRow::user_agent},
      {"client_address", &SessionRow::address},
      {"last_address", &SessionRow::last_address},
      {"used_at", &SessionRow::used_at},
      {"ended_at", &SessionRow::ended_at},
  });
  return *columns;
}

}  // namespace

absl::StatusOr<std::vector<SessionRow>> SessionTable::Read(absl::Time now) {
  std::vector<SessionRow> sessions;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        db.Prepare(absl::StrCat("SELECT ", SessionColumns().list(),
                                " FROM sessions WHERE expires_at > ?1")));
    rows.Bind(1, absl::ToUnixMicros(now));
    ASSIGN_OR_RETURN(sessions, SessionColumns().ReadAll(rows));
    return absl::OkStatus();
  }));
  return sessions;
}

absl::Status SessionTable::Insert(const SessionRow& row) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare(SessionColumns().InsertInto("sessions")));
    SessionColumns().Bind(write, row);
    return write.Run();
  });
}

absl::Status SessionTable::WriteUses(const std::vector<SessionRow>& rows) {
  static const RowMapper<SessionRow> used =
      SessionColumns().Only({"used_at", "last_address", "role"});
  return WriteEach(
      database_,
      absl::StrCat("UPDATE sessions SET ", used.assignments(), " WHERE id=?"),
      rows, [](const SessionRow& row, Statement& write) {
        const int next = used.Bind(write, row);
        write.Bind(next, row.session.id.value());
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
