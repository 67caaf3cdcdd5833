// The gRPC services of the backend, and what they share.
#ifndef CARME_BACKEND_WIRING_SERVICES_H_
#define CARME_BACKEND_WIRING_SERVICES_H_

#include "backend/identity/directory.h"
#include "backend/identity/directory_search.h"
#include "backend/logs/service_log.h"
#include "backend/node_history/node_history.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/rpc/access/access_guard.h"
#include "backend/rpc/announcements/notice_versions.h"
#include "backend/rpc/server/certificate_watch.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/wiring/backend_config.h"
#include "backend/wiring/grpc_servers.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/job_management.h"
#include "backend/wiring/job_resources.h"
#include "backend/wiring/site_health.h"
#include "backend/wiring/slurm_access.h"
#include "backend/wiring/state_directory.h"
#include "common/clock.h"

namespace carme::backend {

// The access guard, the streams, and the connected machines.
struct RpcRuntime {
  // All must outlive the object.
  RpcRuntime(StateDirectory* state, Identity* identity, const Clock* clock,
             const BackendConfig& config);
  RpcRuntime(const RpcRuntime&) = delete;
  RpcRuntime& operator=(const RpcRuntime&) = delete;

  ProxyConnections proxies;
  StreamDispatcher dispatcher;
  StreamDispatcher agent_dispatcher;  // serves only the agents' streams
  AccessGuard guard;
  CertificateWatch certificates;
};

// Passes ended and restored sessions on to the proxy and to open streams, and
// records them. All must outlive the last call of `identity`.
void ConnectSessionEvents(Identity* identity, Routes* routes,
                          StreamDispatcher* dispatcher, AuditLog* audit);

// All must outlive the services.
struct ServicesParts {
  StateDirectory* state;
  const Clock* clock;
  Directory* directory;
  DirectorySearch* directory_search;  // the same directory
  Identity* identity;
  SlurmAccess* slurm;
  JobResources* resources;
  JobManagement* jobs;
  Notifications* notifications;
  const NoticeVersions* notices;
  ServiceLog* logs;
  NodeHistory* node_history;
  NodeRuleEnforcer* node_rules;
  RpcRuntime* rpc;
  SiteHealth* health;
  const BackendConfig* config;
};
GrpcServers::Services NewServices(const ServicesParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_SERVICES_H_
