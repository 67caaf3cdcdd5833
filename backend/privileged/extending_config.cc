#include "backend/privileged/extending_config.h"

namespace carme::impersonator {

ExtendingConfig ReadExtendingConfig(ConfigTable root) {
  ExtendingConfig config;
  root.Table("extensions")
      .Read("longest_walltime_min", &config.longest_walltime,
            Range(0, 366 * 24 * 60));
  return config;
}

}  // namespace carme::impersonator
