#include "backend/wiring/backend.h"

#include <grpcpp/impl/service_type.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/environments/rendered_environment.h"
#include "backend/history/history.h"
#include "backend/history/utilization.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "backend/identity/session.h"
#include "backend/identity/users/nss_account.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/jobs/agents/munge_decoder.h"
#include "backend/jobs/agents/ticket_signer.h"
#include "backend/jobs/diagnosis/start_estimator.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/image_copies.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/store/presets.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/reservations/reservations.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/method_registry.h"
#include "backend/rpc/server/certificate_watch.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "backend/slurm/scheduler.h"
#include "backend/storage/storage_cache.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"
#include "backend/wiring/accounts.h"
#include "backend/wiring/authentication.h"
#include "backend/wiring/backend_config.h"
#include "backend/wiring/extension_quotas.h"
#include "backend/wiring/grpc_servers.h"
#include "backend/wiring/project_memberships.h"
#include "backend/wiring/site_health.h"
#include "common/clock.h"
#include "common/concurrency/ticker.h"
#include "common/config/program.h"
#include "common/grpc/grpc_log.h"
#include "common/heap_trim.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxAgentStreams = 20'000;  // each running job has one

// Passes ended and restored sessions on to the proxy and to open streams, and
// records them.
void ConnectSessionEvents(TokenAuthenticator* credentials, Routes* routes,
                          StreamDispatcher* dispatcher, AuditLog* audit) {
  for (const EndedSession& ended : credentials->Ended()) routes->Revoke(ended);
  credentials->OnEnd([=](const EndedSession& ended) {
    routes->Revoke(ended);
    dispatcher->WakeAll();
    // The operation that ended the session has an audit entry of its own, too.
    audit->Record({.act = "session-over",
                   .subject = ended.id.value(),
                   .decision = AuditDecision::kAllow,
                   .result = "ok"});
  });
  credentials->OnReinstated([=](const SessionId& session) {
    routes->Restore(session);
    audit->Record({.act = "session-back",
                   .subject = session.value(),
                   .decision = AuditDecision::kAllow,
                   .result = "ok"});
  });
}

// What components do periodically, each on a thread of its own.
struct PeriodicWork {
  // All must outlive the object.
  struct Parts {
    TokenAuthenticator* credentials;
    Jobs* jobs;
    Quotas* quotas;
    History* history;
    UtilizationRecorder* utilization;
    Projects* projects;
    Reservations* reservations;
    ImageCopies* image_copies;
    Notifications* notifications;
  };
  explicit PeriodicWork(const Parts& given) : parts(given) {}

  const Parts parts;
  const Ticker sessions{absl::Seconds(5),
                        [this] { parts.credentials->Sweep(); }};
  const Ticker recheck{absl::Minutes(1),
                       [this] { parts.credentials->Recheck(); }};
  const Ticker queued_rechecks{absl::Seconds(1),
                               [this] { parts.credentials->RecheckQueued(); }};
  const Ticker jobs{absl::Hours(1), [this] { parts.jobs->Sweep(); }};
  const Ticker quotas{absl::Hours(1), [this] { parts.quotas->Sweep(); }};
  const Ticker history{absl::Hours(1), [this] { parts.history->Sweep(); }};
  const Ticker accounting{absl::Seconds(5),
                          [this] { parts.history->Account(); }};
  const Ticker utilization{absl::Minutes(1),
                           [this] { parts.utilization->RecordSample(); }};
  const Ticker projects{absl::Minutes(1), [this] { parts.projects->Sweep(); }};
  const Ticker reservations{absl::Seconds(2),
                            [this] { parts.reservations->Reconcile(); }};
  const Ticker image_copies{absl::Seconds(2),
                            [this] { parts.image_copies->Follow(); }};
  const Ticker inbox{absl::Hours(1),
                     [this] { parts.notifications->inbox().Sweep(); }};
};

}  // namespace

absl::Status RunBackend(const BackendConfig& config) {
  const std::string& state = config.state_directory;
  const SystemClock clock;
  ASSIGN_OR_RETURN(const auto database,
                   Database::Open(state + "/carme.db", Migrations()));
  ASSIGN_OR_RETURN(const auto audit, AuditLog::Open(database.get(), &clock));
  ASSIGN_OR_RETURN(const JobCa job_ca,
                   JobCa::Open(state + "/job_ca.pem", clock.Now()));
  ASSIGN_OR_RETURN(const TicketSigner signer,
                   TicketSigner::Open(state + "/ticket_seed"));
  ASSIGN_OR_RETURN(const auto identity,
                   ServerIdentity::Open(config.tls, state));

  ASSIGN_OR_RETURN(
      const auto directory,
      LdapDirectory::Create(config.identity.ldap, config.identity.password));
  ASSIGN_OR_RETURN(const auto accounts,
                   Accounts::Open({database.get(), &clock, directory.get(),
                                   audit.get(), &config}));
  TokenAuthenticator& credentials = accounts->credentials();
  Authentication authentication({database.get(), &clock, directory.get(),
                                 accounts->sessions(), &credentials, &config,
                                 audit.get()});
  RETURN_IF_ERROR(authentication.Load());

  ASSIGN_OR_RETURN(
      const auto notifications,
      Notifications::Open(
          {database.get(), &clock,
           [&](Uid uid) {
             return LookUp(uid, authentication.users(), directory.get());
           },
           config.jobs.portal_url, config.identity.sessions.issuer},
          config.notifications));
  ASSIGN_OR_RETURN(const auto scheduler, SlurmScheduler::Create(config.slurm));
  ImpersonatorClient submitter(config.impersonator, scheduler.get());
  StorageCache storage(&submitter, &clock);
  Routes routes(&clock);
  const ImageCatalogue::PersonLookup find_person =
      [&](const std::string& username) -> absl::StatusOr<Person> {
    ASSIGN_OR_RETURN(const DirectoryCache::CachedPerson found,
                     accounts->directory_cache().LookUp(username));
    return found.person;
  };
  // Not from the DirectoryCache: it would cache every name that is looked up.
  Projects projects(
      {database.get(), &clock, audit.get(),
       [&](const std::string& name) { return directory->LookUp(name); },
       [&](const std::string& mail) { return directory->FindByMail(mail); }},
      config.projects);
  ASSIGN_OR_RETURN(
      const auto images,
      ImageCatalogue::Open(
          database.get(), &clock, config.jobs.images, find_person,
          [&](Uid uid, bool all) { return MembershipsOf(projects, uid, all); },
          config.jobs.shared_images.offered()));
  Environments environments(
      {database.get(), &clock,
       [](const std::string& user) -> absl::StatusOr<std::string> {
         ASSIGN_OR_RETURN(const NssAccount account, FindNssAccount(user));
         return account.home;
       },
       [&](const Session& user) { return images->UsableBy(PersonOf(user)); }},
      config.jobs.environments);
  Reservations reservations(
      {database.get(), &clock, scheduler.get(), &submitter},
      config.reservations);
  ASSIGN_OR_RETURN(
      const auto quotas,
      Quotas::Open(
          {database.get(), &clock, find_person,
           [&](const std::string& name) { return directory->LookUp(name); },
           [&](const std::string& name) { return directory->FindGroup(name); }},
          config.jobs.user, config.jobs.admin));
  ASSIGN_OR_RETURN(const auto templates,
                   Templates::Open(database.get(), &clock));
  SlurmdbdUsage slurmdbd;
  ASSIGN_OR_RETURN(
      const auto jobs,
      Jobs::Open(
          {database.get(), scheduler.get(), &submitter, &routes, audit.get(),
           &clock, images.get(), &environments, &projects, quotas.get(),
           [&](const std::string& id) { return templates->Find(id); },
           ExtensionQuotasOf(quotas.get(), &projects), &submitter,
           config.history.ask_slurmdbd ? &slurmdbd : nullptr},
          config.jobs));
  MungeDecoder munge;
  AgentAdmission admission(
      {&jobs->active(), scheduler.get(), &jobs->polls(), &clock});

  ProxyConnections proxies(&clock);
  StreamDispatcher dispatcher;
  StreamDispatcher agent_dispatcher(kMaxAgentStreams);
  ConnectSessionEvents(&credentials, &routes, &dispatcher, audit.get());
  std::vector<std::unique_ptr<grpc::Service>> services;
  authentication.AddServices(&services);
  StartEstimator start_estimator(&submitter, scheduler.get(), &clock);
  services.push_back(
      NewJobService({jobs.get(), &credentials, &signer, &dispatcher,
                     audit.get(), &clock, &start_estimator}));
  services.push_back(
      NewAuditService({database.get(), audit.get(), &credentials}));
  services.push_back(NewClusterService(scheduler.get(), jobs.get()));
  services.push_back(NewImageService(
      {images.get(), jobs.get(), find_person, &config.jobs, audit.get()}));
  services.push_back(
      NewRouteService(&routes, {signer.PublicKey(), job_ca.certificate_pem()},
                      &dispatcher, audit.get(), &proxies));
  std::vector<std::unique_ptr<grpc::Service>> agent_services;
  agent_services.push_back(NewAgentService(
      {&munge, &admission, &job_ca, &config.jobs, images.get(), audit.get(),
       &clock, &agent_dispatcher,
       [&] { return identity->client_authorities(); }, config.tls.proxy_name,
       signer.PublicKey(),
       [&](const JobId& job) { return jobs->EnvironmentOf(job); },
       [&](const Job& job) { return jobs->MayBegin(job); },
       [&](const Job& job, absl::Duration unused) {
         jobs->idle().OnAgentActivity(job.id, unused);
       },
       [&](const Job& job, absl::Time end) {
         return jobs->extensions().LatestEnd(job, end);
       },
       config.tls.dial}));
  services.push_back(NewActivityService(&jobs->idle()));
  services.push_back(
      NewProjectService(&projects, audit.get(), scheduler.get()));
  services.push_back(
      NewTemplateService(templates.get(), scheduler.get(), audit.get()));
  Presets presets(database.get());
  services.push_back(NewPresetService(&presets));
  services.push_back(NewReservationService(&reservations, audit.get()));
  services.push_back(
      NewLimitService({quotas.get(), &projects, scheduler.get(), audit.get()}));
  services.push_back(NewEnvironmentService(&environments, audit.get()));
  services.push_back(NewStorageService(&storage));
  services.push_back(NewNotificationService(notifications.get(), audit.get()));
  ASSIGN_OR_RETURN(const auto reading,
                   Database::OpenReadOnly(state + "/carme.db"));
  History history(
      {database.get(), reading.get(), &clock, &jobs->active(), &projects,
       config.history.ask_slurmdbd ? &slurmdbd : nullptr},
      config.history);
  UtilizationRecorder utilization(database.get(), reading.get(),
                                  scheduler.get(), &clock);
  history.Sweep();  // before the first request: deletes what has expired
  services.push_back(NewHistoryService(&history, audit.get(), &clock));
  services.push_back(NewClusterUtilizationService(
      scheduler.get(), &jobs->active(), &utilization, &clock));
  AccessGuard guard(&credentials, &clock,
                    {config.tls.frontend_name, config.tls.proxy_name},
                    audit.get());
  CertificateWatch certificates(identity.get(), &guard.certificates(),
                                &dispatcher, job_ca.certificate_pem(),
                                config.tls.expiry_warn_days);
  SiteHealth health({&clock, &state, scheduler.get(), &history, directory.get(),
                     notifications.get(), config.notifications.mail.server,
                     database.get(), audit.get(), &submitter, &proxies,
                     [&] { return certificates.Health(); }});
  AdminJobs admin_jobs({jobs.get(), database.get(), &clock,
                        [&](const std::string& name) -> absl::StatusOr<Role> {
                          ASSIGN_OR_RETURN(const UserRecord known,
                                           authentication.users()->Find(name));
                          return known.person.role;
                        }});
  accounts->AddServices(
      &authentication, &jobs->active(), &admin_jobs,
      [&] { return certificates.Health(); }, [&] { return health.Report(); },
      &services);
  ImageCopies copies({images.get(), jobs.get(), find_person,
                      &config.jobs.shared_images, &clock});
  const PeriodicWork periodic_work(
      {&credentials, jobs.get(), quotas.get(), &history, &utilization,
       &projects, &reservations, &copies, notifications.get()});
  const FailedHandshakes handshakes(
      [&](std::string_view why) { audit->Record(HandshakeRefusal(why)); });
  ASSIGN_OR_RETURN(
      auto servers,
      GrpcServers::Start(config.tls, *identity, &guard,
                         {&dispatcher, &agent_dispatcher},
                         {std::move(services), std::move(agent_services)}));
  scheduler->Start();
  health.Watch(servers.get());
  const Ticker heap_trimmer(absl::Seconds(10),
                            [heap = HeapTrim()]() mutable { heap.Look(); });
  WaitForStopSignal();
  health.Stop();
  LogInfo("stopping");
  servers.reset();
  scheduler->Stop();
  return absl::OkStatus();
}

}  // namespace carme::backend
