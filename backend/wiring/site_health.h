// Reports the health of everything that the backend depends on: from what its
// components observe in normal use, and from probes of what was not used
// recently.
#ifndef CARME_BACKEND_WIRING_SITE_HEALTH_H_
#define CARME_BACKEND_WIRING_SITE_HEALTH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "backend/audit/audit_log.h"
#include "backend/clusters/assertion_authenticator.h"
#include "backend/health/health_monitor.h"
#include "backend/history/history.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/rpc/server/certificate_watch.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/scheduler.h"
#include "backend/storage/storage_reader_client.h"
#include "backend/store/database.h"
#include "backend/wiring/grpc_servers.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/pki/expiry.h"

namespace carme::backend {

class SiteHealth {
 public:
  // All must outlive the object.
  struct Parts {
    const Clock* clock;
    const std::string* state_directory;
    const Scheduler* scheduler;
    const History* history;
    LdapDirectory* directory;
    const Notifications* notifications;
    std::string mail_server;  // as configured
    Database* database;
    AuditLog* audit;
    ImpersonatorClient* impersonator;
    StorageReaderClient* storage_reader;
    ProxyConnections* proxies;
    const CertificateReport* certificates;
    // Null unless this is the backend of a further cluster.
    const AssertionAuthenticator* assertions;
  };
  explicit SiteHealth(Parts parts);
  ~SiteHealth();

  // Updates the report every few seconds from now on. `serving` must outlive
  // Stop().
  void Watch(const GrpcServers* serving);
  void Stop();
  const HealthMonitor& monitor() const { return monitor_; }

 private:
  void ProbeIdle();
  ConnectionCounts AgentConnections();

  const Parts parts_;
  const absl::Time started_;
  HealthMonitor monitor_;
  absl::Mutex mutex_;
  const GrpcServers* serving_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // A thread of its own: a probe of a failed component blocks for seconds.
  BackgroundThread prober_;
  BackgroundThread updates_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_SITE_HEALTH_H_
