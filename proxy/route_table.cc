#include "proxy/route_table.h"

#include <algorithm>

namespace carme::proxy {

void RouteTable::Apply(const RouteUpdate& update, absl::Time now) {
  if (update.snapshot) {
    routes_.clear();
    revoked_.clear();
  }
  if (update.trust != nullptr) trust_ = update.trust;
  // A job named in both is one that was removed and came back.
  for (const JobId& job : update.removed) routes_.erase(job.value());
  for (const Route& route : update.routes) {
    routes_.insert_or_assign(route.job.value(), route.agent);
  }
  for (const RevokedSession& revoked : update.revoked) {
    absl::Time& until = revoked_[revoked.session.value()];
    until = std::max(until, revoked.forget_after);
  }
  absl::erase_if(revoked_,
                 [&](const auto& entry) { return entry.second < now; });
}

const net::Address* RouteTable::Find(const JobId& job) const {
  auto found = routes_.find(job.value());
  return found == routes_.end() ? nullptr : &found->second;
}

bool RouteTable::IsRevoked(const SessionId& session) const {
  return revoked_.contains(session.value());
}

bool RouteTable::Admits(const Access& access, const net::Address& agent,
                        absl::Time now) const {
  const net::Address* current = Find(access.host.job);
  return current != nullptr && *current == agent && access.expires > now &&
         !IsRevoked(access.session);
}

}  // namespace carme::proxy
