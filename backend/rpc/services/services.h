// Creates the backend's gRPC services, one for each service of proto/carme/v1.
// A service parses and checks a request, calls the component that does the
// work, and records the audit event. All pointers outlive the service.
#ifndef CARME_BACKEND_RPC_SERVICES_SERVICES_H_
#define CARME_BACKEND_RPC_SERVICES_SERVICES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/person.h"
#include "backend/identity/role.h"
#include "common/ids.h"

namespace grpc {
class Service;
}

namespace carme {
class Clock;
}  // namespace carme

namespace carme::backend {

class AccessTokens;
class ActiveJobs;
class AdminJobs;
class AgentActivity;
class AgentAdmission;
class AssertionSigner;
class AuditLog;
class ClientAuthoritySource;
class CertificateReport;
class CredentialDecoder;
class Database;
class Directory;
class Environments;
class FactorStore;
class HealthMonitor;
class History;
class IdleMonitor;
class ImageCatalogue;
class ImageVersions;
class JobCa;
class Jobs;
class LoginFlow;
class LoginThrottle;
class Maintenance;
class NodeHistory;
class NodeUpdater;
class NoticeVersions;
struct MetricsConfig;
class Notifications;
class PendingEnrollments;
class PersonLookup;
class Presets;
class Projects;
class ProxyConnections;
class Quotas;
class Reauthentication;
class RecoveryCodes;
class Reservations;
class Routes;
class Scheduler;
class SecondFactor;
class SessionStore;
class RedeemedTickets;
class ServiceLog;
class Sessions;
class StartEstimator;
class StorageCache;
class StreamDispatcher;
class Templates;
class TicketSigner;
class TokenAuthenticator;
class UserStore;
class UtilizationRecorder;
struct FactorsConfig;
struct JobsConfig;
struct PasskeySite;
struct SessionsConfig;

// Log-in. Adds to LoginFlow what the network needs: response times that reveal
// nothing, a limit on concurrent log-ins, and the audit log.
struct AuthServiceParts {
  LoginFlow* login_flow;
  Reauthentication* reauthentication;
  Sessions* sessions;
  const PasskeySite* site;
  const SessionsConfig* config;
  AuditLog* audit;
  const AssertionSigner* assertions = nullptr;  // null: no further clusters
};
std::unique_ptr<grpc::Service> NewAuthService(AuthServiceParts parts);

// The second factors of the caller's account.
struct FactorServiceParts {
  FactorStore* factors;
  RecoveryCodes* codes;
  SecondFactor* second_factor;
  PendingEnrollments* pending_enrollments;
  UserStore* users;
  Directory* directory;  // looks up groups when [factors] names any
  const FactorsConfig* policy;
  AuditLog* audit;
  std::string issuer;  // shown in the QR code
};
std::unique_ptr<grpc::Service> NewFactorService(FactorServiceParts parts);

// The caller's sessions, access tokens and password.
struct AccountServiceParts {
  SessionStore* sessions;
  AccessTokens* tokens;
  TokenAuthenticator* credentials;
  Directory* directory;
  LoginThrottle* throttle;  // limits attempts with a wrong old password
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewAccountService(
    const AccountServiceParts& parts);

// The directory group whose members have a role.
struct RoleRule {
  Role role;
  std::string group;
};

// What support reads, and what administrators change, about the users of a
// site. It never gives access to another user's session.
struct AdminServiceParts {
  UserStore* users;
  FactorStore* factors;
  RecoveryCodes* recovery_codes;
  SessionStore* sessions;
  AccessTokens* tokens;
  TokenAuthenticator* credentials;
  ActiveJobs* jobs;
  AdminJobs* admin_jobs = nullptr;
  AuditLog* audit;
  NodeUpdater* nodes = nullptr;
  std::vector<RoleRule> roles;
  const CertificateReport* certificates;
  const HealthMonitor* health;
  std::string cluster = {};  // the name of this cluster
};
std::unique_ptr<grpc::Service> NewAdminService(AdminServiceParts parts);

// The caller's jobs.
struct JobServiceParts {
  Jobs* jobs;
  Sessions* sessions;
  const TicketSigner* signer;
  StreamDispatcher* dispatcher;
  AuditLog* audit;
  const Clock* clock;
  StartEstimator* start_estimator =
      nullptr;  // null: previews have no start time
  // Null: streams of jobs announce no notices.
  const NoticeVersions* notices = nullptr;
  // Likewise for the state of the site, and for images.
  const HealthMonitor* health = nullptr;
  const ImageVersions* image_versions = nullptr;
};
std::unique_ptr<grpc::Service> NewJobService(const JobServiceParts& parts);

// The cluster's resources, from the last snapshot of Slurm.
std::unique_ptr<grpc::Service> NewClusterService(Scheduler* scheduler,
                                                 Jobs* jobs);

// Nodes, the queue, when GPUs become free, and the utilization history.
std::unique_ptr<grpc::Service> NewClusterUtilizationService(
    Scheduler* scheduler, ActiveJobs* live, const UtilizationRecorder* record,
    const Clock* clock);

// The caller's environment definition files.
std::unique_ptr<grpc::Service> NewEnvironmentService(Environments* environments,
                                                     AuditLog* audit);

// The images that jobs run in.
struct ImageServiceParts {
  ImageCatalogue* images;
  Jobs* jobs;  // runs the jobs that build, check and copy images
  PersonLookup* person_lookup;
  const JobsConfig* config;
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewImageService(const ImageServiceParts& parts);

// What the jobs of a project may request.
std::unique_ptr<grpc::Service> NewTemplateService(Templates* templates,
                                                  Scheduler* scheduler,
                                                  AuditLog* audit);

// Job specs that users saved.
std::unique_ptr<grpc::Service> NewPresetService(Presets* presets);

// Projects and their members. A null `scheduler` disables the check that
// Slurm has the project's account.
std::unique_ptr<grpc::Service> NewProjectService(
    Projects* projects, AuditLog* audit, Scheduler* scheduler = nullptr);

// Limits, their usage, and the rules that administrators set.
struct LimitServiceParts {
  Quotas* quotas;
  Projects* projects;
  Scheduler* scheduler;
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewLimitService(const LimitServiceParts& parts);

// Reservations of nodes.
std::unique_ptr<grpc::Service> NewReservationService(Reservations* reservations,
                                                     AuditLog* audit);

// Maintenance of the site.
std::unique_ptr<grpc::Service> NewMaintenanceService(Maintenance* maintenance,
                                                     AuditLog* audit,
                                                     const Clock* clock);

// The service log: read access, and reports of programs in the DMZ.
std::unique_ptr<grpc::Service> NewLogService(ServiceLog* logs);

// Ended jobs and what they used.
std::unique_ptr<grpc::Service> NewHistoryService(History* history,
                                                 AuditLog* audit,
                                                 const Clock* clock);

// How full the caller's storage is.
std::unique_ptr<grpc::Service> NewStorageService(StorageCache* readings);

// The caller's notifications and how they are delivered.
std::unique_ptr<grpc::Service> NewNotificationService(
    Notifications* notifications, AuditLog* audit);

// Read access to the audit log.
struct AuditServiceParts {
  Database* database;
  AuditLog* audit;
  Sessions* sessions;
};
std::unique_ptr<grpc::Service> NewAuditService(const AuditServiceParts& parts);

// The agents of running jobs. An agent proves its identity by a MUNGE
// credential, which must agree with what Slurm reports about the job.
struct AgentServiceParts {
  CredentialDecoder* decoder;
  AgentAdmission* admission;
  const JobCa* job_ca;
  const JobsConfig* config;
  ImageCatalogue* images;
  AuditLog* audit;
  const Clock* clock;
  // Serves only the agents' streams.
  StreamDispatcher* dispatcher;
  Jobs* jobs;
  AgentActivity* activity;
  ServiceLog* logs;
  Scheduler* scheduler;
  const ClientAuthoritySource* authorities;
  std::string proxy_name;
  std::string ticket_public_key;
  // The proxies that agents connect to, as in TlsConfig. Empty: agents listen.
  std::vector<std::string> dial = {};
  NodeHistory* node_history = nullptr;  // null: runs of vetting are refused
  // Must outlive the service; null: agents sample nothing.
  const MetricsConfig* metrics = nullptr;
};
std::unique_ptr<grpc::Service> NewAgentService(const AgentServiceParts& parts);

// What the proxy verifies tickets and agents with, and seals cookies with.
struct RouteKeys {
  std::string ticket_public_key;  // 32 raw bytes
  std::string job_ca_pem;
  std::string cookie_key;  // 32 raw bytes
};
// Sends the proxies the addresses of the jobs, and the sessions that have
// ended; records the tickets that they accept.
std::unique_ptr<grpc::Service> NewRouteService(
    Routes* routes, RouteKeys keys, StreamDispatcher* dispatcher,
    AuditLog* audit, RedeemedTickets* tickets = nullptr,
    ProxyConnections* proxies = nullptr);

// Sends the backends of further clusters the sessions that have ended.
std::unique_ptr<grpc::Service> NewSessionService(Routes* routes,
                                                 StreamDispatcher* dispatcher,
                                                 AuditLog* audit);

// Receives the activity that the proxy observes.
std::unique_ptr<grpc::Service> NewActivityService(IdleMonitor* idle);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVICES_SERVICES_H_
