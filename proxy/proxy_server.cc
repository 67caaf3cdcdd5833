#include "proxy/proxy_server.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"
#include "proxy/plain_http.h"

namespace carme::proxy {

ProxyServer::ProxyServer(const ProxyConfig& config, Site site,
                         net::Address frontend, net::Networks balancers,
                         UniqueFd listener, PublicTls tls,
                         std::unique_ptr<AccessLogFile> access_log,
                         const Clock& clock)
    : config_(config),
      tls_(std::move(tls)),
      services_(config, std::move(site), frontend, std::move(balancers), clock),
      started_(absl::Now()),
      access_log_(std::move(access_log)),
      listener_(std::move(listener)) {}

ProxyServer::~ProxyServer() {
  for (auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
}

absl::StatusOr<std::unique_ptr<ProxyServer>> ProxyServer::Create(
    const ProxyConfig& config, UniqueFd listener, const Clock& clock) {
  ASSIGN_OR_RETURN(Site site,
                   Site::Create(config.portal_host, config.jobs_domain));
  ASSIGN_OR_RETURN(net::Address frontend,
                   net::Address::Parse(config.frontend_address));
  ASSIGN_OR_RETURN(PublicTls tls, PublicTls::Open(config, clock.Now()));
  ASSIGN_OR_RETURN(std::string cookie_key,
                   LoadOrMakeCookieKey(config.state_directory));
  ASSIGN_OR_RETURN(net::Networks balancers,
                   net::Networks::Parse(config.load_balancers.networks));
  std::unique_ptr<AccessLogFile> access_log;
  if (!config.access_log.empty()) {
    ASSIGN_OR_RETURN(access_log, AccessLogFile::Open(config.access_log));
  }
  std::unique_ptr<ProxyServer> server(new ProxyServer(
      config, std::move(site), frontend, std::move(balancers),
      std::move(listener), std::move(tls), std::move(access_log), clock));
  const unsigned count =
      config.loops > 0 ? static_cast<unsigned>(config.loops)
                       : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto loop, net::EventLoop::Create());
    auto worker = std::make_unique<Worker>(server->services_, std::move(loop),
                                           cookie_key, server->tls_.context(),
                                           server->access_log_.get());
    RETURN_IF_ERROR(worker->Listen(server->listener_.get()));
    server->workers_.push_back(std::move(worker));
  }
  return server;
}

absl::Status ProxyServer::ServeRedirects(UniqueFd listener) {
  for (auto& worker : workers_) {
    RETURN_IF_ERROR(worker->ListenPlain(
        listener.get(), Worker::Guest::kClient,
        [this, raw = worker.get()](const auto& scan, const auto& head) {
          raw->counters().plain_requests.Add();
          return PlainAnswer(scan, head, services_.site);
        }));
  }
  plain_listeners_.push_back(std::move(listener));
  return absl::OkStatus();
}

absl::Status ProxyServer::ServeMetrics(UniqueFd listener) {
  // One loop does: it is asked every few seconds.
  RETURN_IF_ERROR(workers_.front()->ListenPlain(
      listener.get(), Worker::Guest::kHouse,
      [this](const auto& scan, const auto& head) {
        return MetricsAnswer(scan, head, Metrics());
      }));
  plain_listeners_.push_back(std::move(listener));
  return absl::OkStatus();
}

MetricsInput ProxyServer::Metrics() const {
  MetricsInput input;
  for (const auto& worker : workers_)
    input.loops.push_back(&worker->counters());
  input.open_connections = connections();
  input.started = started_;
  return input;
}

void ProxyServer::Start() {
  for (auto& worker : workers_) {
    threads_.emplace_back([&worker] { worker->Run(); });
    pthread_setname_np(threads_.back().native_handle(), "proxy-loop");
  }
}

void ProxyServer::Apply(std::shared_ptr<const RouteUpdate> update) {
  for (auto& worker : workers_) worker->Apply(update);
}

void ProxyServer::KeepCertificate() {
  if (!tls_.Refresh(absl::Now())) return;
  for (auto& worker : workers_) worker->UseCertificate(tls_.context());
}

void ProxyServer::ReopenLog() {
  if (access_log_ == nullptr) return;
  if (const absl::Status reopened = access_log_->Reopen(); !reopened.ok()) {
    LogError("access log not opened again, the old one stays",
             {{"why", reopened.ToString()}});
  }
}

void ProxyServer::Drain() {
  const absl::Duration patience = config_.limits.drain_timeout;
  const absl::Time start = absl::Now();
  LogInfo("draining", {{"connections", connections()}});
  for (auto& worker : workers_) worker->StopAccepting();
  bool websockets = true;
  while (connections() > 0 && absl::Now() < start + patience) {
    absl::SleepFor(absl::Milliseconds(20));
    if (websockets && absl::Now() > start + patience / 4) {
      websockets = false;
      for (auto& worker : workers_) worker->CloseWebsockets();
    }
  }
  for (auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace carme::proxy
