// Reserves nodes for a user. The implementation uses the impersonator, which
// does it as SlurmUser.
#ifndef CARME_BACKEND_SLURM_RESERVER_H_
#define CARME_BACKEND_SLURM_RESERVER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/slurm/submitter.h"

namespace carme::backend {

struct ReservationRequest {
  std::string name;  // "carme-" and 16 random characters of [a-z0-9]
  std::string partition;
  int nodes = 1;
  absl::Time starts_at;
  absl::Duration duration;         // whole minutes
  std::vector<std::string> users;  // the owner first; at most 200
};

// No job starts on its nodes; running jobs continue.
struct MaintenanceReservation {
  std::string name;  // as ReservationRequest::name
  absl::Time starts_at;
  absl::Duration duration;  // whole minutes; infinite: until it is deleted
  std::string partition;    // all of its nodes; empty: all of the cluster
  std::string nodes;        // a host list instead of the partition
};

// Thread-safe. All calls block for at most the operation time-out; their codes
// are those of PreparedSubmission::SubmitAsUser().
class Reserver {
 public:
  virtual ~Reserver() = default;
  // Idempotent: for an existing reservation it only sets the users.
  virtual absl::Status Reserve(const PosixUser& owner,
                               const ReservationRequest& reservation,
                               const std::string& request_id) = 0;
  // Sets the users of an existing reservation. NOT_FOUND: no such reservation.
  virtual absl::Status SetUsers(const PosixUser& owner,
                                const ReservationRequest& reservation,
                                const std::string& request_id) = 0;
  // Creates a maintenance reservation for an administrator. Idempotent.
  virtual absl::Status ReserveForMaintenance(
      const PosixUser& owner, const MaintenanceReservation& reservation,
      const std::string& request_id) = 0;
  // OK also if the reservation does not exist.
  virtual absl::Status Unreserve(const PosixUser& owner,
                                 const std::string& name,
                                 const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_RESERVER_H_
