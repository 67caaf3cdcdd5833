// Converts what the backend's components know about their dependencies to rows
// of the health report. None of these functions sends a request.
#ifndef CARME_BACKEND_HEALTH_OBSERVATIONS_H_
#define CARME_BACKEND_HEALTH_OBSERVATIONS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/history/history.h"
#include "backend/identity/ldap/ldap_servers.h"
#include "backend/rpc/server/connection_table.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/slurm/snapshot.h"
#include "carme/v1/admin.pb.h"
#include "common/availability.h"
#include "common/pki/expiry.h"

namespace carme::backend {

v1::ComponentHealth ObserveSlurmctld(const SlurmSnapshot& snapshot);
v1::ComponentHealth ObserveSlurmdbd(const History::Health& accounting);
// Nodes with Carme's feature, or all where none has it. Its parts are those
// that are not available.
v1::ComponentHealth ObserveNodes(const SlurmSnapshot& snapshot);
// Works while one server does. Its parts are the servers.
v1::ComponentHealth ObserveDirectory(
    const std::vector<LdapServers::Health>& servers);
v1::ComponentHealth ObserveMail(bool offered, const Availability::State& server,
                                const std::string& name);
// `directory`: where the database's file is; its file system is looked at.
v1::ComponentHealth ObserveDatabase(const Availability::State& writes,
                                    const std::string& directory);
v1::ComponentHealth ObserveAuditLog(const AuditLog::Health& log);
// The impersonator and the storage reader.
v1::ComponentHealth ObserveRootProgram(const Availability::State& state);
// `started`: when this backend did; a proxy needs some seconds to come back.
v1::ComponentHealth ObserveProxies(
    const std::vector<ProxyConnections::Proxy>& proxies, absl::Time started,
    absl::Time now);
v1::ComponentHealth ObserveAgentPort(const ConnectionCounts& counts,
                                     absl::Time now);
// The identity backend of a further cluster: `last_message_at` is when it sent
// one, InfinitePast: never. After `max_silence` no app is opened.
v1::ComponentHealth ObserveIdentityBackend(absl::Time last_message_at,
                                           absl::Duration max_silence,
                                           absl::Time started, absl::Time now);
v1::ComponentHealth ObserveCertificates(
    const std::vector<CertificateHealth>& certificates, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HEALTH_OBSERVATIONS_H_
