// A reservation made through Carme: plain values.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATION_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATION_H_

#include <string>

#include "absl/time/time.h"
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

// Stored in the table; equal to the numbers of carme.v1.ReservationState.
enum class ReservationState {
  kCreating = 1,    // recorded; Slurm may have it
  kConfirmed = 2,   // Slurm has it
  kCancelling = 3,  // Slurm may still have it
  kEnded = 4,       // kept for a while to recognize late responses of Slurm
};

struct Reservation {
  std::string id{};  // 16 of [a-z0-9]
  std::string owner{};
  Uid owner_uid{};
  ReservationSpec spec{};
  ReservationState state = ReservationState::kCreating;
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
