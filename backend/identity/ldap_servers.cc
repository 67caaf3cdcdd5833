#include "backend/identity/ldap_servers.h"

#include <utility>

namespace carme {

LdapServers::LdapServers(std::vector<std::string> addresses) {
  for (std::string& address : addresses) {
    servers_.push_back({.address = std::move(address)});
  }
}

std::vector<std::string> LdapServers::Order(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> order;
  std::vector<std::string> last;
  for (Server& server : servers_) {
    if (server.avoid_until > now) {
      last.push_back(server.address);
      continue;
    }
    order.push_back(server.address);
    if (server.avoid_until != absl::InfinitePast()) {
      server.avoid_until = now + kRemembered;
    }
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

void LdapServers::Failed(const std::string& address, absl::Time now) {
  Avoid(address, now + kRemembered);
}

void LdapServers::Answered(const std::string& address) {
  Avoid(address, absl::InfinitePast());
}

void LdapServers::Avoid(const std::string& address, absl::Time until) {
  absl::MutexLock lock(&mutex_);
  for (Server& server : servers_) {
    if (server.address == address) server.avoid_until = until;
  }
}

}  // namespace carme
