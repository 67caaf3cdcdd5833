#include "backend/identity/ldap/ldap_servers.h"

#include <utility>

namespace carme::backend {
namespace {

// How old an observation of a server may be.
constexpr absl::Duration kObservedEvery = absl::Minutes(1);

}  // namespace

LdapServers::LdapServers(std::vector<std::string> addresses) {
  for (std::string& address : addresses) {
    observed_.push_back({address, std::make_unique<Availability>()});
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
      server.avoid_until = now + kAvoidFor;
    }
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

void LdapServers::Failed(const std::string& address, absl::Time now) {
  Avoid(address, now + kAvoidFor);
}

void LdapServers::Answered(const std::string& address) {
  Avoid(address, absl::InfinitePast());
}

std::vector<LdapServers::Health> LdapServers::health() const {
  std::vector<Health> rows;
  for (const Observed& one : observed_) {
    rows.push_back({one.address, one.availability->state()});
  }
  return rows;
}

void LdapServers::Observe(const std::string& address,
                          const absl::Status& status, absl::Time now) {
  for (const Observed& one : observed_) {
    if (one.address == address) one.availability->Observe(status, now);
  }
}

std::vector<std::string> LdapServers::Stale(absl::Time now) const {
  std::vector<std::string> stale;
  for (const Observed& one : observed_) {
    if (one.availability->IsStale(now, kObservedEvery)) {
      stale.push_back(one.address);
    }
  }
  return stale;
}

void LdapServers::Avoid(const std::string& address, absl::Time until) {
  absl::MutexLock lock(&mutex_);
  for (Server& server : servers_) {
    if (server.address == address) server.avoid_until = until;
  }
}

}  // namespace carme::backend
