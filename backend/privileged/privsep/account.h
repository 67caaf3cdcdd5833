// Users and groups as the host's name service (NSS) has them.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_ACCOUNT_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_ACCOUNT_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme {

struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;           // absolute
  std::vector<gid_t> groups;  // including the primary group
  bool in_allowed_group = false;
  // Whether the user may make reservations. Set only for operations that run as
  // SlurmUser. An error means that NSS could not tell, and refuses
  // reservations.
  absl::StatusOr<bool> may_reserve = false;
  // The same for maintenance reservations.
  absl::StatusOr<bool> may_reserve_for_maintenance = false;
  // The same for draining and resuming nodes.
  absl::StatusOr<bool> may_set_node_state = false;
};

// Looks up the user, the user's groups, and `allowed_group`. Blocks as long as
// NSS blocks, so the caller must be a process that another process can kill.
// PERMISSION_DENIED: no such user, or an invalid entry.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<Account> LookUpAccount(const std::string& name,
                                      const std::string& allowed_group);

struct NamedGroup {
  gid_t gid = 0;
  std::string name;
};
// The names of the first 256 of `groups`; groups without a name are left out.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<std::vector<NamedGroup>> LookUpGroupNames(
    const std::vector<gid_t>& groups);

// The id of group `name`. UNAVAILABLE: NSS could not tell, or no such group.
absl::StatusOr<gid_t> LookUpGroup(const std::string& name);

struct ServiceUser {
  uid_t uid = 0;
  gid_t gid = 0;
};
// A system user such as SlurmUser. NOT_FOUND, UNAVAILABLE.
absl::StatusOr<ServiceUser> LookUpService(const std::string& name);

using PeerUser = ServiceUser;
// The user whose requests are served; looked up once at start.
// NOT_FOUND, UNAVAILABLE; INVALID_ARGUMENT: the user is root.
absl::StatusOr<PeerUser> LookUpPeer(const std::string& name);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_ACCOUNT_H_
