// A reservation made through Carme: plain values.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATION_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATION_H_

#include <string>

#include "absl/time/time.h"
#include "carme/v1/reservation.pb.h"
#include "common/ids.h"

namespace carme::backend {

// What the user requests.
struct ReservationSpec {
  std::string title{};
  std::string project{};    // project id; empty: only the owner may use it
  std::string partition{};  // empty: the cluster's default
  int nodes = 1;
  absl::Time starts_at{};     // whole minutes
  absl::Duration duration{};  // likewise
  friend bool operator==(const ReservationSpec&,
                         const ReservationSpec&) = default;
};

// Its numbers are stored in the database. CREATING and CANCELLING: Slurm may
// have the reservation. ENDED: kept for a while to recognize late responses.
using ReservationState = v1::ReservationState;

struct Reservation {
  std::string id{};  // 16 of [a-z0-9]
  std::string owner{};
  Uid owner_uid{};
  ReservationSpec spec{};
  ReservationState state = v1::RESERVATION_STATE_CREATING;
  absl::Time changed_at{};  // last change of the state
};

// The name of the reservation in Slurm.
inline std::string SlurmNameOf(const Reservation& reservation) {
  return "carme-" + reservation.id;
}
inline absl::Time EndOf(const ReservationSpec& spec) {
  return spec.starts_at + spec.duration;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATION_H_
