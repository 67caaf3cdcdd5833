#include "backend/reservations/reservation_table.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int64_t Number(Uid uid) { return int64_t{uid.value()}; }

std::string Select(const char* where) {
  return absl::StrCat(
      "SELECT id, owner, owner_uid, title, project, partition, nodes, "
      "starts_at, ends_at, state, changed_at FROM reservations ",
      where);
}

Reservation ReservationAt(const Statement& row) {
  Reservation reservation;
  reservation.id = row.Text(0);
  reservation.owner = row.Text(1);
  reservation.owner_uid = Uid(static_cast<uint32_t>(row.Int(2)));
  const absl::Time starts_at = absl::FromUnixSeconds(row.Int(7));
  reservation.spec = {
      .title = row.Text(3),
      .project = row.Text(4),
      .partition = row.Text(5),
      .nodes = static_cast<int>(row.Int(6)),
      .starts_at = starts_at,
      .duration = absl::FromUnixSeconds(row.Int(8)) - starts_at};
  reservation.state = static_cast<ReservationState>(row.Int(9));
  reservation.changed_at = absl::FromUnixMicros(row.Int(10));
  return reservation;
}

absl::StatusOr<std::optional<Reservation>> One(Statement& statement) {
  ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (!found) return std::nullopt;
  return ReservationAt(statement);
}

}  // namespace

absl::StatusOr<std::vector<Reservation>> ReadReservations(Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(Select("ORDER BY starts_at, id")));
  std::vector<Reservation> reservations;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, statement.Step());
    if (!found) return reservations;
    reservations.push_back(ReservationAt(statement));
  }
}

absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement statement, db.Prepare(Select("WHERE id=?1")));
  statement.Bind(1, id);
  return One(statement);
}

absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, Uid owner, const std::string& key) {
  if (key.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(Select("WHERE owner_uid=?1 AND key=?2")));
  statement.Bind(1, Number(owner)).Bind(2, key);
  return One(statement);
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
      db.Prepare(
          "INSERT INTO reservations (id, owner, owner_uid, title, project, "
          "partition, nodes, starts_at, ends_at, state, changed_at, "
          "key) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)"));
  const ReservationSpec& spec = reservation.spec;
  statement.Bind(1, reservation.id)
      .Bind(2, reservation.owner)
      .Bind(3, Number(reservation.owner_uid))
      .Bind(4, spec.title)
      .Bind(5, spec.project)
      .Bind(6, spec.partition)
      .Bind(7, int64_t{spec.nodes})
      .Bind(8, absl::ToUnixSeconds(spec.starts_at))
      .Bind(9, absl::ToUnixSeconds(EndOf(spec)))
      .Bind(10, static_cast<int64_t>(reservation.state))
      .Bind(11, absl::ToUnixMicros(reservation.changed_at));
  if (key.empty()) {
    statement.BindNull(12);
  } else {
    statement.Bind(12, key);
  }
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
  return absl::AbortedError("the reservation has changed meanwhile");
}

absl::Status DeleteReservation(Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM reservations WHERE id=?1"));
  statement.Bind(1, id);
  return statement.Run();
}

}  // namespace carme::backend
