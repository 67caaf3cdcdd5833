#include "proxy/worker.h"

#include <utility>

#include "common/log.h"
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
      request_log_(access_log_, counters_),
      tls_(std::move(tls)),
      pool_(*loop_, services.limits.connect_timeout,
            services.limits.frontend_idle_timeout,
            services.limits.agent_idle_timeout),
      seal_(cookie_key) {
  if (access_log != nullptr) {
    loop_->OnTurnEnd([this] { access_log_.Flush(); });
  }
}

Worker::~Worker() = default;

void Worker::Run() {
  loop_->Run();
  // Streams at rest belong to the loop's thread.
  pool_.Clear();
  listener_.reset();
  plain_.clear();
}

void Worker::Apply(std::shared_ptr<const RouteUpdate> update) {
  loop_->Post([this, update] {
    const absl::Time now = services_.clock.Now();
    if (update->trust != nullptr) Use(*update->trust);
    routes_.Apply(*update, now);
    counters_.routes.Set(routes_.size());
    if (update->empty()) return;
    pool_.Recheck(routes_, now);
    for (ClientConnection* connection : connections_) connection->Recheck();
  });
}

// Most often it is the same issuer, sent with the snapshot of a backend that
// was away: that closes nothing.
void Worker::Use(const Trust& trust) {
  const bool another =
      routes_.trust() != nullptr && routes_.trust()->job_ca != trust.job_ca;
  pool_.Use(trust.agents, another);
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
    // Connections that are being answered use what is in them.
    for (auto& plain : plain_) plain->listener.reset();
    for (ClientConnection* connection : connections_) connection->CloseIfIdle();
  });
}

void Worker::CloseWebsockets() {
  loop_->Post([this] {
    for (ClientConnection* connection : connections_) {
      connection->CloseIfWebsocket();
    }
  });
}

}  // namespace carme::proxy
