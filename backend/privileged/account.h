// What the host's name service says about a user.
#ifndef CARME_BACKEND_PRIVILEGED_ACCOUNT_H_
#define CARME_BACKEND_PRIVILEGED_ACCOUNT_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::impersonator {

struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;           // absolute
  std::vector<gid_t> groups;  // with the primary one
  bool in_allowed_group = false;
  // reserving_config.h; of acts of the operator's. An error: it cannot be told,
  // which matters to nothing but a new reservation.
  absl::StatusOr<bool> may_reserve = false;
};

// Asks NSS about the user, their groups, and `allowed_group`. Blocks for as
// long as NSS does: to be called in a process that somebody else ends.
// PERMISSION_DENIED: no such user, or an entry that makes no sense.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<Account> LookUpAccount(const std::string& name,
                                      const std::string& allowed_group);

struct NamedGroup {
  gid_t gid = 0;
  std::string name;
};
// The names of the first 256 of `groups`, without those that have none.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<std::vector<NamedGroup>> LookUpGroupNames(
    const std::vector<gid_t>& groups);

// `name`'s id. UNAVAILABLE: NSS could not tell, or there is no such group.
absl::StatusOr<gid_t> LookUpGroup(const std::string& name);

struct ServiceUser {
  uid_t uid = 0;
  gid_t gid = 0;
};
// A user of the host's own, such as SlurmUser. NOT_FOUND, UNAVAILABLE.
absl::StatusOr<ServiceUser> LookUpService(const std::string& name);

using PeerUser = ServiceUser;
// The user whose requests are served, at start. NOT_FOUND, UNAVAILABLE;
// INVALID_ARGUMENT: it is root, who needs no impersonator.
absl::StatusOr<PeerUser> LookUpPeer(const std::string& name);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_ACCOUNT_H_
