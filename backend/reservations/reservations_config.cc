#include "backend/reservations/reservations_config.h"

#include "absl/strings/str_cat.h"

namespace carme::backend {

void ReadReservationsConfig(ConfigTable root, ReservationsConfig* config) {
  ConfigTable table = root.Table("reservations");
  table.Read("partitions", &config->partitions);
  std::vector<std::string> names;
  for (const Role role : config->roles) names.emplace_back(RoleName(role));
  table.Read("roles", &names);
  config->roles.clear();
  for (const std::string& name : names) {
    const Role role = RoleNamed(name);
    if (RoleName(role) != name) {
      table.Refuse("roles", absl::StrCat("found \"", name,
                                         "\": expected user, manager, support "
                                         "or admin"));
    }
    config->roles.push_back(role);
  }
  table.Read("project_managers", &config->project_managers);
  table.Read("max_nodes", &config->max_nodes, Range(1, 10000));
  table.Read("max_minutes", &config->max_minutes, Range(1, 31 * 24 * 60));
  table.Read("max_days_ahead", &config->max_days_ahead, Range(1, 366));
  table.Read("max_per_user", &config->max_per_user, Range(1, 1000));
  table.Read("max_per_project", &config->max_per_project, Range(1, 1000));
}

}  // namespace carme::backend
