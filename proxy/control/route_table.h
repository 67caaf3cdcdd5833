// Where each job's agent is, which sessions have ended, whom to trust.
//
// Every loop has a table of its own and gets the same updates; nobody locks.
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

// From the backend, with a snapshot.
struct TrustAnchors {
  VerifyingKey tickets;
  std::string ticket_public_key;  // the same, as it came
  std::string job_ca;             // who issues the agents' certificates, PEM
  // To the agents: their issuer and our client certificate.
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
  // What an earlier process of the proxy knew, not the backend's word.
  bool remembered = false;
  std::vector<Route> routes;
  std::vector<JobId> removed;
  std::vector<RevokedSession> revoked;
  std::vector<SessionId> restored;
  // What is said of jobs; null: no more of this one. Not the table's.
  std::vector<std::pair<JobId, JobStatusPtr>> job_statuses;
  std::shared_ptr<const TrustAnchors> trust;  // null: as before
};

// Unknown never means ended: a backend that has lost its table, or has not read
// it yet, names no routes, and nobody is to lose a notebook by that.
//
// 1. A route goes when the backend says that it has ended. One that a snapshot
//    does not name is stale: it serves on, for `stale_route_ttl` at most.
// 2. A revocation goes when its time is over or when the backend says that the
//    session is not over, after all; never by not being named.
class RouteTable {
 public:
  explicit RouteTable(absl::Duration stale_route_ttl = absl::Hours(24))
      : stale_route_ttl_(stale_route_ttl) {}

  // Whether something that was admitted before may not be any more.
  bool Apply(const RouteUpdate& update, absl::Time now);

  // Null: no such job.
  const net::Address* Find(const JobId& job) const;
  size_t size() const { return routes_.size(); }
  size_t stale() const { return stale_; }
  bool IsRevoked(const SessionId& session) const;
  // False before this process's first snapshot: then an unknown job may well
  // exist.
  bool complete() const { return complete_; }
  // Null: nothing was heard of the backend yet, nor remembered.
  const TrustAnchors* trust() const { return trust_.get(); }

  // Each of them, for who writes them down.
  template <typename Visit>
  void ForEachRoute(Visit visit) const {
    for (const auto& [job, known] : routes_) visit(job, known.agent);
  }
  template <typename Visit>
  void ForEachRevoked(Visit visit) const {
    for (const auto& [session, until] : revoked_) visit(session, until);
  }

  // Whether `access` may go on at `agent`: the route is as it was, the session
  // lives, the grant has not expired.
  bool Admits(const AccessGrant& access, const net::Address& agent,
              absl::Time now) const;

 private:
  struct Known {
    net::Address agent;
    absl::Time stale_since;  // since when; InfiniteFuture: it is not
  };
  bool Forget(absl::Time now);

  const absl::Duration stale_route_ttl_;
  absl::flat_hash_map<std::string, Known> routes_;
  size_t stale_ = 0;
  bool complete_ = false;
  absl::flat_hash_map<std::string, absl::Time> revoked_;
  std::shared_ptr<const TrustAnchors> trust_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_TABLE_H_
