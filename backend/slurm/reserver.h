// Reserving nodes for a user. The implementation speaks to the impersonator,
// which does it as Slurm's own user.
#ifndef CARME_BACKEND_SLURM_RESERVER_H_
#define CARME_BACKEND_SLURM_RESERVER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/slurm/submitter.h"

namespace carme::backend {

struct ReservationRequest {
  std::string name;  // "carme-" and 16 of [a-z0-9]: made by chance
  std::string partition;
  int nodes = 1;
  absl::Time starts_at;
  absl::Duration duration;         // whole minutes
  std::vector<std::string> users;  // the owner first; at most 200
};

// Thread-safe. All block for at most the act's time-out; their codes are those
// of PreparedSubmission::SubmitAsUser().
class Reserver {
 public:
  virtual ~Reserver() = default;
  // Of one that was made before it sets the users alone, and says OK.
  virtual absl::Status Reserve(const PosixUser& owner,
                               const ReservationRequest& reservation,
                               const std::string& request_id) = 0;
  // The users of one that is there, and nothing else. NOT_FOUND: there is none
  // of this name.
  virtual absl::Status SetUsers(const PosixUser& owner,
                                const ReservationRequest& reservation,
                                const std::string& request_id) = 0;
  // OK also when there is none of this name any more.
  virtual absl::Status Unreserve(const PosixUser& owner,
                                 const std::string& name,
                                 const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_RESERVER_H_
