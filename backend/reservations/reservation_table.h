// The table `reservations`. Each function runs in the body of a transaction or
// query of the caller; errors are those of the database.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATION_TABLE_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATION_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/reservations/reservation.h"
#include "backend/store/database.h"

namespace carme::backend {

// By their start.
absl::StatusOr<std::vector<Reservation>> ReadReservations(Database& db);
// Nothing: not found.
absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, const std::string& id);
// The reservation that this user requested with this key.
absl::StatusOr<std::optional<Reservation>> FindReservation(
    Database& db, Uid owner, const std::string& key);
// Those that have not ended.
absl::StatusOr<int> CountReservations(Database& db, Uid owner);
absl::StatusOr<int> CountReservations(Database& db, const std::string& project);
// An empty key: none.
absl::Status InsertReservation(Database& db, const Reservation& reservation,
                               const std::string& key);
// Sets the state and the time of the change. ABORTED: the state is not `from`.
absl::Status UpdateReservationState(Database& db, const std::string& id,
                                    ReservationState from, ReservationState to,
                                    absl::Time now);
absl::Status DeleteReservation(Database& db, const std::string& id);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATION_TABLE_H_
