#include "proxy/proxy_server.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

absl::StatusOr<std::shared_ptr<const net::TlsContext>> PublicTls(
    const TlsMaterial& material) {
  net::TlsOptions options;
  options.certificate = material.certificate;
  options.key = material.key;
  options.tls12 = true;
  options.alpn = "http/1.1";
  return net::TlsContext::Server(options);
}

}  // namespace

ProxyServer::ProxyServer(const ProxyConfig& config, Site site,
                         net::Address frontend, UniqueFd listener,
                         TlsFiles files, const Clock& clock)
    : config_(config),
      files_(std::move(files)),
      services_(config.limits, std::move(site), frontend, clock),
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
  ASSIGN_OR_RETURN(TlsFiles files,
                   TlsFiles::Open({config.certificate, config.key}));
  ASSIGN_OR_RETURN(auto tls, PublicTls(files.material()));
  ASSIGN_OR_RETURN(std::string cookie_key,
                   LoadOrMakeCookieKey(config.state_directory));
  std::unique_ptr<ProxyServer> server(
      new ProxyServer(config, std::move(site), frontend, std::move(listener),
                      std::move(files), clock));
  const unsigned count =
      config.loops > 0 ? static_cast<unsigned>(config.loops)
                       : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto loop, net::EventLoop::Create());
    auto worker = std::make_unique<Worker>(server->services_, std::move(loop),
                                           cookie_key, tls);
    RETURN_IF_ERROR(worker->Listen(server->listener_.get()));
    server->workers_.push_back(std::move(worker));
  }
  return server;
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
  const absl::Time now = absl::Now();
  if (files_.Refresh()) {
    if (auto tls = PublicTls(files_.material()); tls.ok()) {
      for (auto& worker : workers_) worker->UseCertificate(*tls);
    } else {
      LogError("certificate not used, the old one stays",
               {{"why", tls.status().ToString()}});
    }
  }
  warnings_.Look(HealthOf("public", files_.material().certificate,
                          config_.expiry_warn_days, now),
                 now);
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
