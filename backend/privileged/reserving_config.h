// How far reservations go that are made for users, as impersonator.toml says.
#ifndef CARME_BACKEND_PRIVILEGED_RESERVING_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_RESERVING_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/privileged/account.h"
#include "common/config.h"

namespace carme::impersonator {

// Pure limits, of each reservation and of each user. Who may book among the
// members of the group is the backend's to say.
struct ReservingConfig {
  // Of whose nodes; none: nothing is reserved at all.
  std::vector<std::string> partitions = {};
  std::string group = {};  // only its members book; empty: everybody
  int most_nodes = 4;
  int most_minutes = 480;
  int most_days_ahead = 60;
  int most_per_user = 4;  // that have not ended

  bool IsOffered() const { return !partitions.empty(); }
};

// Reads the table [reservations] of `root`; errors appear in the file's
// Finish().
ReservingConfig ReadReservingConfig(ConfigTable root);

// Whether the account is in that group, as NSS says; blocks as NSS does.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<bool> MayReserve(const ReservingConfig& config,
                                const Account& account);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_RESERVING_CONFIG_H_
