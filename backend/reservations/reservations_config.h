// [reservations] of backend.toml.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_

#include <string>
#include <vector>

#include "backend/identity/role.h"
#include "common/config/config.h"

namespace carme::backend {

// No wider than impersonator.toml's table of the same name, which is what
// counts in the end.
struct ReservationsConfig {
  std::vector<std::string> partitions = {};  // none: nobody books
  // Who books for themselves, and for the projects they manage.
  std::vector<Role> roles = {Role::kManager, Role::kAdmin};
  // Whether whoever manages a project books for it, whatever their role.
  bool project_managers = true;
  int max_nodes = 4;
  int max_minutes = 480;
  int max_days_ahead = 60;
  int max_per_user = 4;     // that are not over
  int max_per_project = 8;  // likewise, whoever booked them

  bool IsOffered() const { return !partitions.empty(); }
};

// Errors are reported by the file's Finish().
void ReadReservationsConfig(ConfigTable root, ReservationsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_
