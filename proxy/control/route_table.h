// Routes to the agents of the jobs, revoked sessions, and trust anchors.
//
// Each loop has its own table and gets the same updates, so there are no locks.
#ifndef CARME_PROXY_CONTROL_ROUTE_TABLE_H_
#define CARME_PROXY_CONTROL_ROUTE_TABLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/crypto/signature.h"
#include "common/ids.h"
#include "common/net/address.h"
#include "common/net/tls/tls_context.h"
#include "proxy/access/access_grant.h"
#include "proxy/control/job_status.h"

namespace carme::proxy {

// Sent by the backend with a snapshot.
struct TrustAnchors {
  VerifyingKey tickets;
  std::string ticket_public_key;  // the same key as the backend sent it
  std::string job_ca;             // issuer of the agents' certificates, PEM
  std::string cookie_key;  // of all proxies; empty: each has its own only
  // For connections to agents: trusts job_ca, has the proxy's client
  // certificate.
  std::shared_ptr<const net::TlsContext> agents;
};

struct Route {
  JobId job;
  net::Address agent;
};

struct RevokedSession {
  SessionId session;
  absl::Time forget_after;
};

// One message of the backend. Immutable, shared by the loops.
struct RouteUpdate {
  bool snapshot = false;
  // From the snapshot file, not from the backend.
  bool from_snapshot_file = false;
  std::vector<Route> routes;
  std::vector<JobId> removed;
  std::vector<RevokedSession> revoked;
  std::vector<SessionId> restored;
  // Null: the backend no longer reports the job. For JobStatusTable.
  std::vector<std::pair<JobId, JobStatusEntryPtr>> job_statuses;
  std::shared_ptr<const TrustAnchors> trust;  // null: unchanged
};

// A missing entry does not mean that a job or session has ended: a backend that
// lost its table, or has not loaded it yet, sends no routes, and users must not
// lose their notebooks then.
//
// 1. A route is removed when the backend reports the job's end. A route that is
//    missing in a snapshot is stale: it is used for up to `stale_route_ttl`.
// 2. A revocation is removed when it expires, or when the backend restores the
//    session; not when it is missing.
class RouteTable {
 public:
  explicit RouteTable(absl::Duration stale_route_ttl = absl::Hours(24))
      : stale_route_ttl_(stale_route_ttl) {}

  // Returns whether something that was allowed before may no longer be.
  bool Apply(const RouteUpdate& update, absl::Time now);

  // Null: unknown job.
  const net::Address* Find(const JobId& job) const;
  size_t size() const { return routes_.size(); }
  size_t stale() const { return stale_; }
  bool IsRevoked(const SessionId& session) const;
  // False before the first snapshot: an unknown job may exist.
  bool complete() const { return complete_; }
  // Null: neither the backend nor the snapshot file has sent any.
  const TrustAnchors* trust() const { return trust_.get(); }

  // Calls `visit` for each entry, to write them to a file.
  template <typename Visit>
  void ForEachRoute(Visit visit) const {
    for (const auto& [job, entry] : routes_) visit(job, entry.agent);
  }
  template <typename Visit>
  void ForEachRevoked(Visit visit) const {
    for (const auto& [session, until] : revoked_) visit(session, until);
  }

  // Whether a connection with `access` to `agent` is still allowed: same route,
  // session not revoked, grant not expired.
  bool Admits(const AccessGrant& access, const net::Address& agent,
              absl::Time now) const;

 private:
  struct RouteEntry {
    net::Address agent;
    absl::Time stale_since;  // InfiniteFuture: not stale
  };
  bool RemoveExpired(absl::Time now);

  const absl::Duration stale_route_ttl_;
  absl::flat_hash_map<std::string, RouteEntry> routes_;
  size_t stale_ = 0;
  bool complete_ = false;
  absl::flat_hash_map<std::string, absl::Time> revoked_;
  std::shared_ptr<const TrustAnchors> trust_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_TABLE_H_
