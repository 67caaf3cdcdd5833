#include "proxy/worker.h"

#include <future>
#include <utility>

#include "common/log.h"
#include "common/net/tls_buffers.h"
#include "common/status.h"
#include "proxy/client_connection.h"

namespace carme::proxy {
namespace {

HeadLimits HeadLimitsOf(const ProxyLimits& limits) {
  HeadLimits head;
  head.most_bytes = static_cast<size_t>(limits.most_head_bytes);
  head.most_fields = static_cast<size_t>(limits.most_fields);
  return head;
}

}  // namespace

Worker::Worker(Services& services, std::unique_ptr<net::EventLoop> loop,
               const std::string& cookie_key,
               std::shared_ptr<const net::TlsContext> tls,
               const AccessLogFile* access_log)
    : services_(services),
      loop_(std::move(loop)),
      head_limits_(HeadLimitsOf(services.limits)),
      access_log_(access_log, &counters_),
      log_pace_(*loop_, access_log_),
      request_log_(access_log_, counters_),
      activity_(*loop_, services.activity),
      tls_(std::move(tls)),
      routes_(services.limits.doubtful_route),
      agent_links_(*loop_, routes_, services.limits, services.agents,
                   counters_),
      pool_(*loop_, services.limits.connect_timeout,
            services.limits.frontend_idle_timeout,
            services.limits.agent_idle_timeout),
      seal_(cookie_key) {
  pool_.ReachBy(&agent_links_);
  pool_.GiveUpLost(services.limits.lost_peer);
  if (access_log != nullptr) {
    loop_->OnTurnEnd([this] { log_pace_.EndTurn(); });
  }
}

Worker::~Worker() = default;

void Worker::Run() {
  const net::TlsBuffers buffers;
  loop_->Run();
  access_log_.Flush();
  // Streams at rest belong to the loop's thread.
  pool_.Clear();
  agent_links_.Clear();
  listener_.reset();
  plain_.clear();
}

void Worker::Apply(std::shared_ptr<const RouteUpdate> update) {
  loop_->Post([this, update] {
    const absl::Time now = services_.clock.Now();
    if (update->trust != nullptr) Use(*update->trust);
    const bool less = routes_.Apply(*update, now);
    standings_.Apply(*update);
    counters_.routes.Set(routes_.size());
    counters_.doubtful_routes.Set(routes_.doubtful());
    if (!less) return;
    pool_.Recheck(routes_, now);
    agent_links_.Recheck();
    for (ClientConnection* connection : connections_) connection->Recheck();
  });
}

Situation Worker::SituationOf(const JobId& job, std::string_view app) const {
  Trouble trouble = Trouble::kNone;
  if (routes_.Find(job) == nullptr) {
    // Before the backend's first word any job may exist.
    trouble = routes_.complete() ? Trouble::kNoRoute : Trouble::kNothingKnown;
  }
  return proxy::SituationOf(trouble, standings_.Find(job), app);
}

// Most often it is the same issuer, sent with the snapshot of a backend that
// was away: that closes nothing.
void Worker::Use(const Trust& trust) {
  const bool another =
      routes_.trust() != nullptr && routes_.trust()->job_ca != trust.job_ca;
  pool_.Use(trust.agents, another);
  agent_links_.Use(trust.agents, another);
  if (!another) return;
  LogInfo("agents' certificates have another issuer");
  for (ClientConnection* connection : connections_) {
    connection->CheckAgent(*trust.agents);
  }
}

void Worker::UseCertificate(std::shared_ptr<const net::TlsContext> tls) {
  loop_->Post([this, tls] { tls_ = tls; });
}

void Worker::StopAccepting() {
  loop_->Post([this] {
    draining_ = true;
    listener_.reset();
    agent_links_.StopAccepting();
    // Connections that are being answered use what is in them.
    for (auto& plain : plain_) plain->listener.reset();
    for (ClientConnection* connection : connections_) connection->CloseIfIdle();
  });
}

void Worker::Recheck() {
  loop_->Post([this] {
    pool_.Recheck(routes_, services_.clock.Now());
    for (ClientConnection* connection : connections_) connection->Recheck();
  });
}

void Worker::WaitForPosted() {
  std::promise<void> done;
  loop_->Post([&done] { done.set_value(); });
  done.get_future().wait();
}

void Worker::CloseWebsockets() {
  loop_->Post([this] {
    for (ClientConnection* connection : connections_) {
      connection->CloseIfWebsocket();
    }
  });
}

}  // namespace carme::proxy
