#include "backend/standby/standby_config.h"

namespace carme::backend {

StandbyConfig ReadStandbyConfig(ConfigTable root) {
  StandbyConfig config;
  ConfigTable standby = root.Table("standby");
  standby.Read("enabled", &config.enabled);
  standby.Read("lease_s", &config.lease, Range(4, 300));
  return config;
}

}  // namespace carme::backend
