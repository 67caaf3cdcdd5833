#include "backend/wiring/services.h"

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/rpc/administration/choice_service.h"
#include "backend/rpc/administration/dry_run_service.h"
#include "backend/rpc/administration/user_preview_service.h"
#include "backend/rpc/announcements/announcement_service.h"
#include "backend/rpc/calendar/reservation_calendar_service.h"
#include "backend/rpc/environments/environment_form_service.h"
#include "backend/rpc/environments/environment_gallery_service.h"
#include "backend/rpc/job_logs/job_log_service.h"
#include "backend/rpc/metrics/gpu_use_service.h"
#include "backend/rpc/metrics/metrics_access_service.h"
#include "backend/rpc/nodes/node_history_service.h"
#include "backend/rpc/services/services.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxAgentStreams = 20'000;  // each running job has one

using ServiceList = std::vector<std::unique_ptr<grpc::Service>>;

std::vector<RoleRule> RoleRulesOf(const LdapConfig& ldap) {
  std::vector<RoleRule> rules = {{Role::kManager, ldap.manager_group},
                                 {Role::kSupport, ldap.support_group},
                                 {Role::kAdmin, ldap.admin_group}};
  std::erase_if(rules, [](const RoleRule& rule) { return rule.group.empty(); });
  return rules;
}

void AddIdentityServices(const ServicesParts& parts, ServiceList* services) {
  Identity& identity = *parts.identity;
  AuditLog* const audit = parts.state->audit.get();
  const IdentityConfig& config = parts.config->identity;
  services->push_back(
      NewAuthService({.login_flow = &identity.login_flow,
                      .reauthentication = &identity.reauthentication,
                      .sessions = &identity.authenticator,
                      .site = &identity.second_factor.site(),
                      .config = &config.sessions,
                      .audit = audit,
                      .assertions = identity.assertion_signer.get()}));
  services->push_back(
      NewFactorService({.factors = &identity.factors,
                        .codes = &identity.recovery_codes,
                        .second_factor = &identity.second_factor,
                        .pending_enrollments = &identity.pending_enrollments,
                        .users = &identity.users,
                        .directory = parts.directory,
                        .policy = &config.factors,
                        .audit = audit,
                        .issuer = config.sessions.issuer}));
  services->push_back(NewAccountService({.sessions = identity.sessions.get(),
                                         .tokens = identity.tokens.get(),
                                         .credentials = &identity.authenticator,
                                         .directory = parts.directory,
                                         .throttle = &identity.login_throttle,
                                         .audit = audit}));
  services->push_back(
      NewAdminService({.users = &identity.users,
                       .factors = &identity.factors,
                       .recovery_codes = &identity.recovery_codes,
                       .sessions = identity.sessions.get(),
                       .tokens = identity.tokens.get(),
                       .credentials = &identity.authenticator,
                       .jobs = &parts.jobs->jobs->active(),
                       .admin_jobs = &parts.jobs->admin_jobs,
                       .audit = audit,
                       .nodes = &parts.slurm->impersonator,
                       .roles = RoleRulesOf(config.ldap),
                       .certificates = &parts.rpc->certificates,
                       .health = &parts.health->monitor(),
                       .cluster = parts.config->clusters.name}));
  services->push_back(NewAuditService({.database = parts.state->database.get(),
                                       .audit = audit,
                                       .sessions = identity.credentials()}));
  services->push_back(NewLogService(parts.logs));
  services->push_back(
      NewNodeHistoryService({.history = parts.node_history,
                             .enforcer = parts.node_rules,
                             .scheduler = parts.slurm->scheduler.get(),
                             .audit = audit}));
}

void AddJobServices(const ServicesParts& parts, ServiceList* services) {
  JobManagement& jobs = *parts.jobs;
  Scheduler* const scheduler = parts.slurm->scheduler.get();
  StreamDispatcher* const dispatcher = &parts.rpc->dispatcher;
  AuditLog* const audit = parts.state->audit.get();
  services->push_back(
      NewJobService({.jobs = jobs.jobs.get(),
                     .sessions = parts.identity->credentials(),
                     .signer = &parts.state->ticket_signer,
                     .dispatcher = dispatcher,
                     .audit = audit,
                     .clock = parts.clock,
                     .start_estimator = &jobs.start_estimator,
                     .notices = parts.notices,
                     .health = &parts.health->monitor(),
                     .image_versions = &parts.resources->images->versions()}));
  services->push_back(
      NewJobLogService({.jobs = jobs.jobs.get(),
                        .sessions = parts.identity->credentials(),
                        .dispatcher = dispatcher,
                        .clock = parts.clock}));
  services->push_back(NewClusterService(scheduler, jobs.jobs.get()));
  services->push_back(NewClusterUtilizationService(
      scheduler, &jobs.jobs->active(), &jobs.utilization, parts.clock));
  services->push_back(NewHistoryService(&jobs.history, audit, parts.clock));
  services->push_back(NewActivityService(&jobs.jobs->idle()));
  services->push_back(NewRouteService(
      jobs.routes.get(),
      {.ticket_public_key = parts.state->ticket_signer.PublicKey(),
       .job_ca_pem = parts.state->job_ca.certificate_pem(),
       .cookie_key = parts.state->ticket_signer.CookieKey()},
      dispatcher, audit, &jobs.redeemed_tickets, &parts.rpc->proxies));
  services->push_back(NewMetricsAccessService(
      {.jobs = jobs.jobs.get(),
       .history = &jobs.history,
       .routes = jobs.routes.get(),
       .sessions = parts.identity->credentials(),
       .persons = &parts.identity->directory_cache,
       .projects = &parts.resources->projects,
       .dispatcher = dispatcher,
       .audit = audit,
       .job_ca_pem = parts.state->job_ca.certificate_pem(),
       .assertion_public_key = parts.state->ticket_signer.PublicKey(),
       .node_history = parts.node_history}));
  services->push_back(NewGpuUseService(&jobs.jobs->idle()));
  services->push_back(NewSessionService(jobs.routes.get(), dispatcher, audit));
  services->push_back(NewStorageService(&parts.slurm->storage));
  services->push_back(NewNotificationService(parts.notifications, audit));
}

void AddResourceServices(const ServicesParts& parts, ServiceList* services) {
  JobResources& resources = *parts.resources;
  Scheduler* const scheduler = parts.slurm->scheduler.get();
  AuditLog* const audit = parts.state->audit.get();
  services->push_back(
      NewImageService({.images = resources.images.get(),
                       .jobs = parts.jobs->jobs.get(),
                       .person_lookup = &parts.identity->directory_cache,
                       .config = &parts.config->jobs,
                       .audit = audit}));
  services->push_back(NewProjectService(&resources.projects, audit, scheduler));
  services->push_back(
      NewTemplateService(resources.templates.get(), scheduler, audit));
  services->push_back(NewPresetService(&resources.presets));
  services->push_back(NewReservationService(&resources.reservations, audit));
  services->push_back(NewReservationCalendarService(&resources.reservations));
  services->push_back(
      NewAnnouncementService(resources.announcements.get(), audit));
  services->push_back(
      NewMaintenanceService(resources.maintenance.get(), audit, parts.clock));
  services->push_back(NewLimitService({.quotas = resources.quotas.get(),
                                       .projects = &resources.projects,
                                       .scheduler = scheduler,
                                       .audit = audit}));
  services->push_back(NewChoiceService({.scheduler = scheduler,
                                        .directory = parts.directory_search,
                                        .projects = &resources.projects,
                                        .images = resources.images.get()}));
  services->push_back(
      NewDryRunService({.reading = parts.state->read_only_database.get(),
                        .clock = parts.clock,
                        .history = &parts.jobs->history,
                        .active = &parts.jobs->jobs->active(),
                        .quotas = resources.quotas.get(),
                        .templates = resources.templates.get(),
                        .users = &parts.identity->users,
                        .directory = parts.directory}));
  services->push_back(
      NewUserPreviewService({.database = parts.state->read_only_database.get(),
                             .persons = &parts.identity->directory_cache,
                             .scheduler = scheduler,
                             .jobs = parts.jobs->jobs.get(),
                             .projects = &resources.projects,
                             .templates = resources.templates.get(),
                             .quotas = resources.quotas.get(),
                             .reservations = &resources.reservations,
                             .environments = resources.environments.get(),
                             .audit = audit}));
  services->push_back(
      NewEnvironmentService(resources.environments.get(), audit));
  services->push_back(NewEnvironmentFormService(resources.environments.get()));
  services->push_back(
      NewEnvironmentGalleryService({.gallery = resources.gallery.get(),
                                    .images = resources.images.get(),
                                    .jobs = parts.jobs->jobs.get(),
                                    .audit = audit}));
}

std::unique_ptr<grpc::Service> NewAgents(const ServicesParts& parts) {
  Jobs* const jobs = parts.jobs->jobs.get();
  const TlsConfig& tls = parts.config->tls;
  return NewAgentService(
      {.decoder = &parts.jobs->munge,
       .admission = &parts.jobs->admission,
       .job_ca = &parts.state->job_ca,
       .config = &parts.config->jobs,
       .images = parts.resources->images.get(),
       .audit = parts.state->audit.get(),
       .clock = parts.clock,
       .dispatcher = &parts.rpc->agent_dispatcher,
       .jobs = jobs,
       .activity = &jobs->idle(),
       .logs = parts.logs,
       .scheduler = parts.slurm->scheduler.get(),
       .authorities = parts.state->server_identity.get(),
       .proxy_name = tls.proxy_name,
       .ticket_public_key = parts.state->ticket_signer.PublicKey(),
       .dial = tls.dial,
       .node_history = parts.node_history,
       .metrics = &parts.config->metrics});
}

MachineNames NamesOf(const BackendConfig& config) {
  MachineNames names{config.tls.frontend_name, config.tls.proxy_name};
  for (const FurtherCluster& cluster : config.clusters.further) {
    names.clusters.push_back(cluster.certificate_name);
  }
  names.metrics = config.tls.metrics_name;
  return names;
}

}  // namespace

RpcRuntime::RpcRuntime(StateDirectory* state, Identity* identity,
                       const Clock* clock, const BackendConfig& config)
    : proxies(clock),
      agent_dispatcher(kMaxAgentStreams),
      guard(identity->credentials(), clock, NamesOf(config), state->audit.get(),
            identity->is_further() ? Credentials::kAssertions
                                   : Credentials::kSessionsAndTokens),
      certificates(state->server_identity.get(), &guard.certificates(),
                   &dispatcher, state->job_ca.certificate_pem(),
                   config.tls.expiry_warn_days) {}

void ConnectSessionEvents(Identity* identity, Routes* routes,
                          StreamDispatcher* dispatcher, AuditLog* audit) {
  TokenAuthenticator& authenticator = identity->authenticator;
  for (const EndedSession& ended : authenticator.Ended()) routes->Revoke(ended);
  authenticator.OnEnd([=](const EndedSession& ended) {
    routes->Revoke(ended);
    dispatcher->WakeAll();
    // The operation that ended the session has an audit entry of its own, too.
    audit->Record({.act = "session-over",
                   .subject = ended.id.value(),
                   .decision = AuditDecision::kAllow,
                   .result = "ok"});
  });
  authenticator.OnReinstated([=](const SessionId& session) {
    routes->Restore(session);
    audit->Record({.act = "session-back",
                   .subject = session.value(),
                   .decision = AuditDecision::kAllow,
                   .result = "ok"});
  });
  if (!identity->is_further()) return;
  // The identity backend records these.
  identity->assertions->OnEnd([=](const EndedSession& ended) {
    routes->Revoke(ended);
    dispatcher->WakeAll();
  });
  identity->assertions->OnRestored(
      [=](const SessionId& session) { routes->Restore(session); });
}

GrpcServers::Services NewServices(const ServicesParts& parts) {
  GrpcServers::Services services;
  AddIdentityServices(parts, &services.clients);
  AddJobServices(parts, &services.clients);
  AddResourceServices(parts, &services.clients);
  services.agents.push_back(NewAgents(parts));
  return services;
}

}  // namespace carme::backend
