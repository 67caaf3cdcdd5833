#include "backend/wiring/backend.h"

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <optional>
#include <string_view>

#include "backend/audit/audit_log.h"
#include "backend/clusters/ended_session_watcher.h"
#include "backend/health/backend_monitoring.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "backend/logs/log_capture.h"
#include "backend/logs/service_log.h"
#include "backend/node_history/node_history.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "backend/standby/active_role.h"
#include "backend/wiring/grpc_servers.h"
#include "backend/wiring/housekeeping.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/job_management.h"
#include "backend/wiring/job_resources.h"
#include "backend/wiring/services.h"
#include "backend/wiring/site_health.h"
#include "backend/wiring/slurm_access.h"
#include "backend/wiring/state_directory.h"
#include "common/clock.h"
#include "common/config/program.h"
#include "common/grpc/grpc_log.h"
#include "common/log.h"
#include "common/monitoring/admin_listener.h"
#include "common/status.h"

namespace carme::backend {
absl::Status RunBackend(const BackendConfig& config) {
  const SystemClock clock;
  // First: others take over after everything below has ended.
  ASSIGN_OR_RETURN(const auto role,
                   ActiveRole::Acquire(config.state_directory, config.standby,
                                       config.metrics_listen));
  if (!role) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto state, StateDirectory::Open(config, &clock));
  ServiceLog logs(state->database.get(), &clock, config.logs);
  const LogCapture capture(&logs);
  ASSIGN_OR_RETURN(
      const auto directory,
      LdapDirectory::Create(config.identity.ldap, config.identity.password));
  ASSIGN_OR_RETURN(
      const auto identity,
      Identity::Open({.database = state->database.get(),
                      .clock = &clock,
                      .audit = state->audit.get(),
                      .directory = directory.get(),
                      .config = &config.identity,
                      .portal_url = config.jobs.portal_url,
                      .clusters = &config.clusters,
                      .signing_key = &state->ticket_signer.key()}));
  ASSIGN_OR_RETURN(
      const auto notifications,
      Notifications::Open({.database = state->database.get(),
                           .clock = &clock,
                           .users = &identity->users,
                           .directory = directory.get(),
                           .portal_url = config.jobs.portal_url,
                           .sender_name = config.identity.sessions.issuer},
                          config.notifications));
  ASSIGN_OR_RETURN(const auto slurm, SlurmAccess::Open(config, &clock, &logs));
  NodeHistory node_history(state->database.get(), &clock,
                           slurm->scheduler.get());
  ASSIGN_OR_RETURN(
      const auto node_rules,
      NodeRuleEnforcer::Open({.history = &node_history,
                              .database = state->database.get(),
                              .clock = &clock,
                              .scheduler = slurm->scheduler.get(),
                              .nodes = &slurm->impersonator,
                              .audit = state->audit.get(),
                              .users = &identity->users,
                              .persons = &identity->directory_cache},
                             config.node_rules));
  ASSIGN_OR_RETURN(
      const auto resources,
      JobResources::Open({.database = state->database.get(),
                          .clock = &clock,
                          .audit = state->audit.get(),
                          .directory = directory.get(),
                          .person_lookup = &identity->directory_cache,
                          .homes = &identity->homes,
                          .scheduler = slurm->scheduler.get(),
                          .reserver = &slurm->impersonator,
                          .jobs = &config.jobs,
                          .projects = &config.projects,
                          .reservations = &config.reservations}));
  ASSIGN_OR_RETURN(const auto jobs,
                   JobManagement::Open({.state = state.get(),
                                        .clock = &clock,
                                        .identity = identity.get(),
                                        .slurm = slurm.get(),
                                        .resources = resources.get(),
                                        .node_history = &node_history,
                                        .config = &config}));
  RpcRuntime rpc(state.get(), identity.get(), &clock, config);
  ConnectSessionEvents(identity.get(), jobs->routes.get(), &rpc.dispatcher,
                       state->audit.get());
  SiteHealth health({.clock = &clock,
                     .state_directory = &config.state_directory,
                     .scheduler = slurm->scheduler.get(),
                     .history = &jobs->history,
                     .directory = directory.get(),
                     .notifications = notifications.get(),
                     .mail_server = config.notifications.mail.server,
                     .database = state->database.get(),
                     .audit = state->audit.get(),
                     .impersonator = &slurm->impersonator,
                     .storage_reader = &slurm->storage_reader,
                     .proxies = &rpc.proxies,
                     .certificates = &rpc.certificates,
                     .assertions = identity->assertions.get()});
  NoticeVersions notices({.database = state->database.get(),
                          .clock = &clock,
                          .inbox = &notifications->inbox(),
                          .announcements = resources->announcements.get(),
                          .maintenance = resources->maintenance.get()});
  const Housekeeping housekeeping({.identity = identity.get(),
                                   .resources = resources.get(),
                                   .jobs = jobs.get(),
                                   .notifications = notifications.get(),
                                   .notices = &notices,
                                   .logs = &logs,
                                   .node_rules = node_rules.get()});
  const FailedHandshakes handshakes([&](std::string_view error) {
    state->audit->Record(HandshakeRefusal(error));
  });
  ASSIGN_OR_RETURN(
      auto servers,
      GrpcServers::Start(config.tls, *state->server_identity, &rpc.guard,
                         {&rpc.dispatcher, &rpc.agent_dispatcher},
                         NewServices({.state = state.get(),
                                      .clock = &clock,
                                      .directory = directory.get(),
                                      .directory_search = directory.get(),
                                      .identity = identity.get(),
                                      .slurm = slurm.get(),
                                      .resources = resources.get(),
                                      .jobs = jobs.get(),
                                      .notifications = notifications.get(),
                                      .notices = &notices,
                                      .logs = &logs,
                                      .node_history = &node_history,
                                      .node_rules = node_rules.get(),
                                      .rpc = &rpc,
                                      .health = &health,
                                      .config = &config})));
  std::optional<EndedSessionWatcher> ended_sessions;
  if (identity->is_further()) {
    ended_sessions.emplace(&*config.clusters.identity_backend,
                           identity->assertions.get(), &clock,
                           config.tls.expiry_warn_days);
  }
  slurm->scheduler->Start();
  health.Watch(servers.get());
  const BackendMonitoring monitoring(
      {.clock = &clock,
       .database_path = config.state_directory + "/carme.db",
       .libslurm = BuiltWithLibslurm(),
       .health = &health.monitor(),
       .calls = &rpc.guard.calls(),
       .streams = &rpc.dispatcher,
       .agent_streams = &rpc.agent_dispatcher,
       .proxies = &rpc.proxies,
       .certificates = &rpc.certificates,
       .sessions = identity->sessions.get(),
       .jobs = &jobs->jobs->active(),
       .scheduler = slurm->scheduler.get(),
       .database = state->database.get(),
       .audit = state->audit.get(),
       .notifications = notifications.get(),
       .impersonator = &slurm->impersonator,
       .storage_reader = &slurm->storage_reader});
  auto admin = AdminListener::StartIfSet(config.metrics_listen, &monitoring);
  WaitForStopSignal();
  admin.reset();
  health.Stop();
  LogInfo("stopping");
  ended_sessions.reset();
  servers.reset();
  slurm->scheduler->Stop();
  return absl::OkStatus();
}

}  // namespace carme::backend
