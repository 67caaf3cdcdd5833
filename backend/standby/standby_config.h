// [standby] of backend.toml.
#ifndef CARME_BACKEND_STANDBY_STANDBY_CONFIG_H_
#define CARME_BACKEND_STANDBY_STANDBY_CONFIG_H_

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::backend {

struct StandbyConfig {
  // Several backends share the state directory, and one of them is active.
  bool enabled = false;
  // The active backend ends itself if it could not renew its lease for so long.
  absl::Duration lease = absl::Seconds(8);
};

// A standby takes over after this time without a renewal. Longer than the
// lease: the last backend has ended itself by then, wherever it is.
inline absl::Duration TakeoverDelay(const StandbyConfig& config) {
  return config.lease + absl::Seconds(2);
}

StandbyConfig ReadStandbyConfig(ConfigTable root);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_STANDBY_CONFIG_H_
