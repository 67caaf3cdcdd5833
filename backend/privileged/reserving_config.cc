#include "backend/privileged/reserving_config.h"

#include <sys/types.h>

#include <algorithm>

#include "common/status.h"

namespace carme::impersonator {

ReservingConfig ReadReservingConfig(ConfigTable root) {
  ReservingConfig config;
  ConfigTable table = root.Table("reservations");
  table.Read("partitions", &config.partitions);
  table.Read("group", &config.group);
  table.Read("most_nodes", &config.most_nodes, Range(1, 10000));
  table.Read("most_minutes", &config.most_minutes, Range(1, 31 * 24 * 60));
  table.Read("most_days_ahead", &config.most_days_ahead, Range(1, 366));
  table.Read("most_per_user", &config.most_per_user, Range(1, 1000));
  return config;
}

absl::StatusOr<bool> MayReserve(const ReservingConfig& config,
                                const Account& account) {
  if (!config.IsOffered()) return false;
  if (config.group.empty()) return true;
  ASSIGN_OR_RETURN(const gid_t group, LookUpGroup(config.group));
  return std::find(account.groups.begin(), account.groups.end(), group) !=
         account.groups.end();
}

}  // namespace carme::impersonator
