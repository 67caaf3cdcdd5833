// Where each job's agent is, which sessions have ended, whom to trust.
//
// Every loop has a table of its own and gets the same updates; nobody locks.
#ifndef CARME_PROXY_ROUTE_TABLE_H_
#define CARME_PROXY_ROUTE_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/net/address.h"
#include "common/net/tls_context.h"
#include "common/signature.h"
#include "proxy/access.h"

namespace carme::proxy {

// From the backend, with a snapshot.
struct Trust {
  VerifyingKey tickets;
  std::string job_ca;  // who issues the agents' certificates, PEM
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
  std::vector<Route> routes;
  std::vector<JobId> removed;
  std::vector<RevokedSession> revoked;
  std::shared_ptr<const Trust> trust;  // null: as before

  bool empty() const {
    return !snapshot && routes.empty() && removed.empty() && revoked.empty();
  }
};

class RouteTable {
 public:
  // A snapshot replaces everything.
  void Apply(const RouteUpdate& update, absl::Time now);

  // Null: no such job.
  const net::Address* Find(const JobId& job) const;
  size_t size() const { return routes_.size(); }
  bool IsRevoked(const SessionId& session) const;
  // False before the first snapshot: then an unknown job may well exist.
  bool complete() const { return trust_ != nullptr; }
  const Trust* trust() const { return trust_.get(); }

  // Whether `access` may go on at `agent`: the route is as it was, the session
  // lives, the grant has not expired.
  bool Admits(const Access& access, const net::Address& agent,
              absl::Time now) const;

 private:
  absl::flat_hash_map<std::string, net::Address> routes_;
  absl::flat_hash_map<std::string, absl::Time> revoked_;
  std::shared_ptr<const Trust> trust_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTE_TABLE_H_
