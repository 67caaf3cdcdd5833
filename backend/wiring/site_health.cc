#include "backend/wiring/site_health.h"

#include <utility>

#include "backend/health/observations.h"
#include "common/log.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kUpdateInterval = absl::Seconds(2);
// Each probe decides itself whether the last use is old enough.
constexpr absl::Duration kProbeEvery = absl::Seconds(5);
constexpr absl::Duration kWriteEvery = absl::Minutes(1);

}  // namespace

SiteHealth::SiteHealth(Parts parts)
    : parts_(std::move(parts)),
      started_(parts_.clock->Now()),
      monitor_(parts_.clock) {
  const Clock& clock = *parts_.clock;
  monitor_.Add(v1::HEALTH_COMPONENT_SLURMCTLD, [this] {
    return ObserveSlurmctld(*parts_.scheduler->Snapshot());
  });
  monitor_.Add(v1::HEALTH_COMPONENT_SLURMDBD, [this] {
    return ObserveSlurmdbd(parts_.history->accounting());
  });
  monitor_.Add(v1::HEALTH_COMPONENT_NODES,
               [this] { return ObserveNodes(*parts_.scheduler->Snapshot()); });
  monitor_.Add(v1::HEALTH_COMPONENT_DIRECTORY,
               [this] { return ObserveDirectory(parts_.directory->health()); });
  monitor_.Add(v1::HEALTH_COMPONENT_MAIL, [this] {
    return ObserveMail(parts_.notifications->Offers(v1::CHANNEL_MAIL),
                       parts_.notifications->mail_server(), parts_.mail_server);
  });
  monitor_.Add(v1::HEALTH_COMPONENT_DATABASE, [this] {
    return ObserveDatabase(parts_.database->writes().state(),
                           *parts_.state_directory);
  });
  monitor_.Add(v1::HEALTH_COMPONENT_AUDIT_LOG,
               [this] { return ObserveAuditLog(parts_.audit->health()); });
  monitor_.Add(v1::HEALTH_COMPONENT_IMPERSONATOR, [this] {
    return ObserveRootProgram(parts_.impersonator->availability().state());
  });
  monitor_.Add(v1::HEALTH_COMPONENT_STORAGE_READER, [this] {
    return ObserveRootProgram(parts_.storage_reader->availability().state());
  });
  monitor_.Add(v1::HEALTH_COMPONENT_PROXY, [this, &clock] {
    return ObserveProxies(parts_.proxies->list(), started_, clock.Now());
  });
  monitor_.Add(v1::HEALTH_COMPONENT_AGENT_PORT, [this, &clock] {
    return ObserveAgentPort(AgentConnections(), clock.Now());
  });
  if (parts_.assertions != nullptr) {
    monitor_.Add(v1::HEALTH_COMPONENT_IDENTITY_BACKEND, [this, &clock] {
      return ObserveIdentityBackend(parts_.assertions->last_message_at(),
                                    AssertionAuthenticator::kMaxSilence,
                                    started_, clock.Now());
    });
  }
  monitor_.Add(v1::HEALTH_COMPONENT_CERTIFICATES, [this, &clock] {
    return ObserveCertificates(parts_.certificates->Health(), clock.Now());
  });
}

SiteHealth::~SiteHealth() { Stop(); }

void SiteHealth::Watch(const GrpcServers* serving) {
  {
    absl::MutexLock lock(&mutex_);
    serving_ = serving;
  }
  monitor_.Update();
  prober_.Start("health-prober", kProbeEvery, [this] { ProbeIdle(); });
  updates_.Start("health-monitor", kUpdateInterval,
                 [this] { monitor_.Update(); });
}

void SiteHealth::Stop() {
  prober_.Stop();
  updates_.Stop();
  absl::MutexLock lock(&mutex_);
  serving_ = nullptr;
}

void SiteHealth::ProbeIdle() {
  parts_.impersonator->ProbeIdle();
  parts_.storage_reader->ProbeIdle();
  if (parts_.database->writes().IsStale(parts_.clock->Now(), kWriteEvery)) {
    // The result is kept where it is observed.
    parts_.database->ProbeWrite().IgnoreError();
  }
  parts_.directory->ProbeIdleServers();
  parts_.notifications->ProbeMailServer();
}

ConnectionCounts SiteHealth::AgentConnections() {
  absl::MutexLock lock(&mutex_);
  if (serving_ == nullptr) return ConnectionCounts();
  return serving_->agent_connections();
}

}  // namespace carme::backend
