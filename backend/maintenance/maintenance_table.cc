#include "backend/maintenance/maintenance_table.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<MaintenanceWindow>& MaintenanceColumns() {
  static const auto* const columns = new RowMapper<MaintenanceWindow>({
      {"message", &MaintenanceWindow::message},
      {"starts_at", &MaintenanceWindow::starts_at},
      {"ends_at", &MaintenanceWindow::ends_at},
      {"auto_end", &MaintenanceWindow::auto_end},
      {"started_by", &MaintenanceWindow::started_by},
      {"reservation", &MaintenanceWindow::reservation},
      {"partition", &MaintenanceWindow::partition},
      {"nodes", &MaintenanceWindow::nodes},
  });
  return *columns;
}

const RowMapper<RequestedReservation>& RequestedReservationColumns() {
  static const auto* const columns = new RowMapper<RequestedReservation>({
      {"name", &RequestedReservation::name},
      {"owner", &RequestedReservation::owner},
      {"owner_uid", &RequestedReservation::owner_uid},
      {"requested_at", &RequestedReservation::requested_at},
  });
  return *columns;
}

}  // namespace

absl::StatusOr<std::optional<MaintenanceWindow>> ReadMaintenance(Database& db) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("SELECT ", MaintenanceColumns().list(),
                              " FROM maintenance")));
  return MaintenanceColumns().ReadFirst(statement);
}

absl::Status WriteMaintenance(Database& db, const MaintenanceWindow& window) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("INSERT OR REPLACE INTO maintenance (",
                              MaintenanceColumns().list(), ", id) VALUES (",
                              MaintenanceColumns().parameters(), ", 1)")));
  MaintenanceColumns().Bind(statement, window);
  return statement.Run();
}

absl::Status DeleteMaintenance(Database& db) {
  ASSIGN_OR_RETURN(Statement statement, db.Prepare("DELETE FROM maintenance"));
  return statement.Run();
}

absl::StatusOr<std::vector<RequestedReservation>> ReadUnusedReservations(
    Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(absl::StrCat(
                       "SELECT ", RequestedReservationColumns().list(),
                       " FROM maintenance_reservations WHERE name NOT IN "
                       "(SELECT reservation FROM maintenance) ORDER BY name")));
  return RequestedReservationColumns().ReadAll(statement);
}

absl::Status InsertRequestedReservation(
    Database& db, const RequestedReservation& reservation) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(absl::StrCat(
                       "INSERT INTO maintenance_reservations (",
                       RequestedReservationColumns().list(), ") VALUES (",
                       RequestedReservationColumns().parameters(), ")")));
  RequestedReservationColumns().Bind(statement, reservation);
  return statement.Run();
}

absl::Status DeleteRequestedReservation(Database& db, const std::string& name) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare("DELETE FROM maintenance_reservations WHERE name=?1"));
  return statement.Bind(1, name).Run();
}

}  // namespace carme::backend
