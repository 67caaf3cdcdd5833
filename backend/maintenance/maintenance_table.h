// The tables `maintenance`, of at most one row, and `maintenance_reservations`:
// reservations that were requested of Slurm and not deleted yet. Each function
// runs in the body of a transaction or query; errors are the database's.
#ifndef CARME_BACKEND_MAINTENANCE_MAINTENANCE_TABLE_H_
#define CARME_BACKEND_MAINTENANCE_MAINTENANCE_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/maintenance/maintenance_rules.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

// A reservation in Slurm, and in whose name it was created.
struct RequestedReservation {
  std::string name{};
  std::string owner{};
  Uid owner_uid{};
  absl::Time requested_at{};
};

absl::StatusOr<std::optional<MaintenanceWindow>> ReadMaintenance(Database& db);
absl::Status WriteMaintenance(Database& db, const MaintenanceWindow& window);
absl::Status DeleteMaintenance(Database& db);

// Those that no maintenance uses.
absl::StatusOr<std::vector<RequestedReservation>> ReadUnusedReservations(
    Database& db);
absl::Status InsertRequestedReservation(
    Database& db, const RequestedReservation& reservation);
absl::Status DeleteRequestedReservation(Database& db, const std::string& name);

}  // namespace carme::backend

#endif  // CARME_BACKEND_MAINTENANCE_MAINTENANCE_TABLE_H_
