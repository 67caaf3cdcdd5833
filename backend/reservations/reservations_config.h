// [reservations] of backend.toml.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_

#include <string>
#include <vector>

#include "backend/identity/role.h"
#include "common/config/config.h"

namespace carme::backend {

// Must not exceed the table of the same name in impersonator.toml, which is
// enforced.
struct ReservationsConfig {
  std::vector<std::string> partitions = {};  // none: not offered
  // The roles that may reserve for themselves and for projects they manage.
  std::vector<Role> roles = {Role::kManager, Role::kAdmin};
  // Whether managers of a project may reserve for it, whatever their site role.
  bool project_managers = true;
  int max_nodes = 4;
  int max_minutes = 480;
  int max_days_ahead = 60;
  int max_per_user = 4;     // that have not ended
  int max_per_project = 8;  // likewise, of all users

  bool IsOffered() const { return !partitions.empty(); }
};

// Errors are reported by the file's Finish().
void ReadReservationsConfig(ConfigTable root, ReservationsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATIONS_CONFIG_H_
