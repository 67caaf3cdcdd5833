// Decides whether a user may make a reservation. A pure function, evaluated for
// the preview and again in the transaction that records the reservation.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATION_RULES_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATION_RULES_H_

#include <string>
#include <vector>

#include "backend/identity/role.h"
#include "backend/policy/spec/violation.h"
#include "backend/reservations/reservation.h"
#include "backend/reservations/reservations_config.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The impersonator's limit.
inline constexpr int kMaxReservationUsers = 200;

struct ReservationInput {
  ReservationSpec spec{};
  Role role = Role::kUser;
  // Whether the user is a member of the project in the spec, whether the user
  // manages it, and whether it is active.
  bool is_member = false;
  bool manages = false;
  bool is_active = false;
  int users = 1;             // users of the reservation, including the owner
  int reservations_now = 0;  // of the user, not ended
  int project_reservations_now = 0;  // of the project, not ended
  const ReservationsConfig* config = nullptr;
  const SlurmSnapshot* cluster = nullptr;
  absl::Time now{};
};

struct ReservationDecision {
  ReservationSpec spec{};               // with the partition filled in
  std::vector<Violation> violations{};  // empty: allowed
  // Whether a violation depends on Slurm's nodes, partitions and reservations
  // and may be outdated.
  bool rests_on_resources = false;
  // Nodes of the partition, and how many of them are in no other reservation at
  // that time. Running jobs are not considered: only Slurm knows them.
  int nodes = 0;
  int free_nodes = 0;
  std::vector<std::string>
      conflicts{};  // names of the reservations that hold the other nodes
};

ReservationDecision CheckReservation(const ReservationInput& question);

// Whether a user with this role, who manages a project or not, may make any
// reservation.
bool MayReserveAtAll(const ReservationsConfig& config, Role role, bool manages);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATION_RULES_H_
