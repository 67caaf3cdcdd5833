#include "proxy/control/route_table.h"

#include <algorithm>

namespace carme::proxy {
namespace {

constexpr absl::Time kNever = absl::InfiniteFuture();

}  // namespace

bool RouteTable::Apply(const RouteUpdate& update, absl::Time now) {
  bool less_access = false;
  if (update.trust != nullptr) trust_ = update.trust;
  if (update.snapshot) {
    complete_ = complete_ || !update.from_snapshot_file;
    stale_ = routes_.size();
    for (auto& [job, entry] : routes_) {
      entry.stale_since = std::min(entry.stale_since, now);
    }
  }
  // A job in both lists was removed and added again.
  for (const JobId& job : update.removed) {
    const auto found = routes_.find(job.value());
    if (found == routes_.end()) continue;
    if (found->second.stale_since != kNever) --stale_;
    routes_.erase(found);
    less_access = true;
  }
  for (const Route& route : update.routes) {
    const auto [inserted, fresh] =
        routes_.try_emplace(route.job.value(), RouteEntry{route.agent, kNever});
    if (fresh) continue;
    RouteEntry& entry = inserted->second;
    if (entry.stale_since != kNever) --stale_;
    less_access = less_access || !(entry.agent == route.agent);
    entry = {route.agent, kNever};
  }
  for (const SessionId& session : update.restored) {
    revoked_.erase(session.value());
  }
  for (const RevokedSession& session : update.revoked) {
    absl::Time& until = revoked_[session.session.value()];
    until = std::max(until, session.forget_after);
    less_access = true;
  }
  return RemoveExpired(now) || less_access;
}

// Removes expired entries. Returns whether a route was removed.
bool RouteTable::RemoveExpired(absl::Time now) {
  absl::erase_if(revoked_,
                 [&](const auto& entry) { return entry.second < now; });
  if (stale_ == 0) return false;
  const size_t before = routes_.size();
  absl::erase_if(routes_, [&](auto& entry) {
    // The clock was ahead before.
    if (entry.second.stale_since != kNever) {
      entry.second.stale_since = std::min(entry.second.stale_since, now);
    }
    return entry.second.stale_since < now - stale_route_ttl_;
  });
  stale_ -= before - routes_.size();
  return before != routes_.size();
}

const net::Address* RouteTable::Find(const JobId& job) const {
  auto found = routes_.find(job.value());
  return found == routes_.end() ? nullptr : &found->second.agent;
}

bool RouteTable::IsRevoked(const SessionId& session) const {
  return revoked_.contains(session.value());
}

bool RouteTable::Admits(const AccessGrant& access, const net::Address& agent,
                        absl::Time now) const {
  const net::Address* current = Find(access.host.job);
  return current != nullptr && *current == agent && access.expires > now &&
         !IsRevoked(access.session);
}

}  // namespace carme::proxy
