// Maintenance as plain values, and pure functions about it.
#ifndef CARME_BACKEND_MAINTENANCE_MAINTENANCE_RULES_H_
#define CARME_BACKEND_MAINTENANCE_MAINTENANCE_RULES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/reserver.h"

namespace carme::backend {

// An announced or current maintenance.
struct MaintenanceWindow {
  std::string message{};
  absl::Time starts_at{};
  absl::Time ends_at{};   // expected
  bool auto_end = false;  // at ends_at; otherwise when it is ended
  std::string started_by{};
  std::string reservation{};  // its name in Slurm; empty: none
  std::string partition{};    // of the reservation; as MaintenanceReservation
  std::string nodes{};
  friend bool operator==(const MaintenanceWindow&,
                         const MaintenanceWindow&) = default;
};

// What an administrator requests.
struct MaintenanceRequest {
  std::string message{};
  std::optional<absl::Time> starts_at{};  // absent: now
  absl::Time ends_at{};
  bool auto_end = false;
  bool reserve = false;  // a reservation in Slurm
  std::string partition{};
  std::string nodes{};
};

// The maintenance that `request` asks for, without started_by and reservation.
// `current`: the one that it replaces. INVALID_ARGUMENT.
absl::StatusOr<MaintenanceWindow> CheckMaintenance(
    const MaintenanceRequest& request,
    const std::optional<MaintenanceWindow>& current, absl::Time now);

// The reservation for a maintenance. Without auto_end it lasts until it is
// deleted: on nodes that are still being maintained no job may start.
MaintenanceReservation ReservationFor(const MaintenanceWindow& window,
                                      const std::string& name);

bool IsInEffect(const MaintenanceWindow& window, absl::Time now);
// It has ended by itself.
bool HasEnded(const MaintenanceWindow& window, absl::Time now);
// Why no job starts now. REQUIRES: IsInEffect().
Violation RefusalDuring(const MaintenanceWindow& window, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_MAINTENANCE_MAINTENANCE_RULES_H_
