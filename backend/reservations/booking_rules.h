// May this person book this? A pure function, asked for the preview and again
// in the transaction that records a booking.
#ifndef CARME_BACKEND_RESERVATIONS_BOOKING_RULES_H_
#define CARME_BACKEND_RESERVATIONS_BOOKING_RULES_H_

#include <string>
#include <vector>

#include "backend/identity/role.h"
#include "backend/policy/violation.h"
#include "backend/reservations/booking.h"
#include "backend/reservations/reservations_config.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// What the impersonator takes.
inline constexpr int kMostReservationUsers = 200;

struct BookingQuestion {
  BookingSpec spec{};
  Role role = Role::kUser;
  // Whether the person is of the project that the spec names, manages it, and
  // it is active.
  bool is_member = false;
  bool manages = false;
  bool is_active = false;
  int users = 1;                 // who would be let in, with the owner
  int bookings_now = 0;          // of the person, that are not over
  int project_bookings_now = 0;  // likewise, of the project
  const ReservationsConfig* config = nullptr;
  const SlurmSnapshot* cluster = nullptr;
  absl::Time now{};
};

struct BookingDecision {
  BookingSpec spec{};                   // with the partition filled in
  std::vector<Violation> violations{};  // empty: allowed
  // Whether one rests on Slurm's nodes, partitions and reservations, and may
  // not hold any more.
  bool rests_on_resources = false;
  // Of how many nodes how many are in no other reservation then; what runs
  // there at that time Slurm knows alone.
  int nodes = 0;
  int free_nodes = 0;
  std::vector<std::string> conflicts{};  // names of those that have the others
};

BookingDecision CheckBooking(const BookingQuestion& question);

// Whether anything at all may be booked by somebody of the role, who manages a
// project, or not.
bool MayBookAtAll(const ReservationsConfig& config, Role role, bool manages);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_BOOKING_RULES_H_
