#include "backend/reservations/reservation_table.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/reservations/messages.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int64_t Number(Uid uid) { return int64_t{uid.value()}; }

const RowMapper<Reservation>& ReservationColumns() {
  static const auto* const columns = new RowMapper<Reservation>({
      {"id", &Reservation::id},
      {"owner", &Reservation::owner},
      {"owner_uid", &Reservation::owner_uid},
      {"title", Member(&Reservation::spec, &ReservationSpec::title)},
      {"project", Member(&Reservation::spec, &ReservationSpec::project)},
      {"partition", Member(&Reservation::spec, &ReservationSpec::partition)},
      {"nodes", Member(&Reservation::spec, &ReservationSpec::nodes)},
      ConvertedColumn<Reservation, int64_t>(
          "starts_at",
          [](const Reservation& row) {
            return absl::ToUnixSeconds(row.spec.starts_at);
          },
          [](int64_t seconds, Reservation* row) {
            row->spec.starts_at = absl::FromUnixSeconds(seconds);
          }),
      // After starts_at, because reading it needs starts_at.
      ConvertedColumn<Reservation, int64_t>(
          "ends_at",
          [](const Reservation& row) {
            return absl::ToUnixSeconds(EndOf(row.spec));
          },
          [](int64_t seconds, Reservation* row) {
            row->spec.duration =
                absl::FromUnixSeconds(seconds) - row->spec.starts_at;
          }),
      {"state", &Reservation::state},
      {"changed_at", &Reservation::changed_at},
  });
  return *columns;
}

std::string Select(std::string_view rest) {
  return absl::StrCat("SELECT ", ReservationColumns().list(),
                      " FROM reservations ", std::string(rest));
}

}  // namespace

absl::StatusOr<std::vector<Reservation>> ReadReservations(Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(Select("ORDER BY starts_at, id")));
  return ReservationColumns().ReadAll(statement);
}

absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement statement, db.Prepare(Select("WHERE id=?1")));
  statement.Bind(1, id);
  return ReservationColumns().ReadFirst(statement);
}

absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, Uid owner, const std::string& key) {
  if (key.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(Select("WHERE owner_uid=?1 AND key=?2")));
  statement.Bind(1, Number(owner)).Bind(2, key);
  return ReservationColumns().ReadFirst(statement);
}

absl::StatusOr<int> CountReservations(Database& db, Uid owner) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("SELECT count(*) FROM reservations "
                              "WHERE owner_uid=?1 AND state!=4"));
  statement.Bind(1, Number(owner));
  RETURN_IF_ERROR(statement.Step().status());
  return static_cast<int>(statement.Int(0));
}

absl::StatusOr<int> CountReservations(Database& db,
                                      const std::string& project) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("SELECT count(*) FROM reservations "
                              "WHERE project=?1 AND state!=4"));
  statement.Bind(1, project);
  RETURN_IF_ERROR(statement.Step().status());
  return static_cast<int>(statement.Int(0));
}

absl::Status InsertReservation(Database& db, const Reservation& reservation,
                               const std::string& key) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("INSERT INTO reservations (",
                              ReservationColumns().list(), ", key) VALUES (",
                              ReservationColumns().parameters(), ", ?)")));
  const int next = ReservationColumns().Bind(statement, reservation);
  BindColumn(statement, next, key.empty() ? std::nullopt : std::optional(key));
  return statement.Run();
}

absl::Status UpdateReservationState(Database& db, const std::string& id,
                                    ReservationState from, ReservationState to,
                                    absl::Time now) {
  {
    ASSIGN_OR_RETURN(
        Statement statement,
        db.Prepare("UPDATE reservations SET state=?1, changed_at=?2 "
                   "WHERE id=?3 AND state=?4"));
    statement.Bind(1, static_cast<int64_t>(to))
        .Bind(2, absl::ToUnixMicros(now))
        .Bind(3, id)
        .Bind(4, static_cast<int64_t>(from));
    RETURN_IF_ERROR(statement.Run());
  }
  if (db.Changes() == 1) return absl::OkStatus();
  return MakeError(reservation_messages::kChangedMeanwhile);
}

absl::Status DeleteReservation(Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM reservations WHERE id=?1"));
  statement.Bind(1, id);
  return statement.Run();
}

}  // namespace carme::backend
