// How far running jobs may be extended for users, as impersonator.toml says.
#ifndef CARME_BACKEND_PRIVILEGED_EXTENDING_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_EXTENDING_CONFIG_H_

#include "absl/time/time.h"
#include "common/config.h"

namespace carme::impersonator {

struct ExtendingConfig {
  // The longest that a job may become in all; 0: no job is extended.
  absl::Duration longest_walltime{};

  bool IsOffered() const { return longest_walltime > absl::ZeroDuration(); }
};

// Reads the table [extensions] of `root`; errors appear in the file's Finish().
ExtendingConfig ReadExtendingConfig(ConfigTable root);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_EXTENDING_CONFIG_H_
