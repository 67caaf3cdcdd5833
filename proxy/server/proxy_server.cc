#include "proxy/server/proxy_server.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/time/clock.h"
#include "common/file.h"
#include "common/log.h"
#include "common/status.h"
#include "proxy/local_reply/https_redirect.h"
#include "proxy/server/messages.h"
#include "proxy/upstream/tcp_keepalive.h"

namespace carme::proxy {
namespace {

// Without the file, used tickets are known to this process only.
std::unique_ptr<UsedTicketStore> OpenUsedTicketStore(
    const std::string& directory, absl::Time now) {
  auto used_tickets = UsedTicketStore::Open(directory + "/used_tickets", now);
  if (used_tickets.ok()) return *std::move(used_tickets);
  LogError("used tickets not shared, rejecting older tickets",
           {{"error", used_tickets.status().ToString()}});
  return std::make_unique<UsedTicketStore>(now);
}

constexpr absl::Duration kJump = absl::Seconds(1);

absl::Duration ClockAhead(const Clock& clock) {
  return clock.Now() - absl::UnixEpoch() -
         absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

ProxyServer::ProxyServer(const ProxyConfig& config, VirtualHosts hosts,
                         net::Address frontend, net::Networks balancers,
                         std::unique_ptr<UsedTicketStore> used_tickets,
                         UniqueFd listener, PublicTls tls,
                         std::unique_ptr<AccessLogFile> access_log,
                         const Clock& clock)
    : config_(config),
      tls_(std::move(tls)),
      shared_(config, std::move(hosts), frontend, std::move(balancers),
              std::move(used_tickets), clock),
      started_(absl::Now()),
      clock_ahead_(ClockAhead(clock)),
      access_log_(std::move(access_log)),
      listener_(std::move(listener)) {}

ProxyServer::~ProxyServer() {
  for (auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
  redeemer_.reset();
}

void ProxyServer::RedeemTicketsWith(std::unique_ptr<TicketRedeemer> redeemer) {
  redeemer_ = std::move(redeemer);
  shared_.redeemer = redeemer_.get();
}

absl::StatusOr<std::unique_ptr<ProxyServer>> ProxyServer::Create(
    const ProxyConfig& config, UniqueFd listener, const Clock& clock) {
  ASSIGN_OR_RETURN(VirtualHosts hosts, config.MakeVirtualHosts());
  ASSIGN_OR_RETURN(net::Address frontend,
                   net::Address::Parse(config.frontend_address));
  ASSIGN_OR_RETURN(PublicTls tls, PublicTls::Open(config, clock.Now()));
  ASSIGN_OR_RETURN(std::string cookie_key,
                   LoadOrCreateCookieKey(config.state_directory));
  ASSIGN_OR_RETURN(net::Networks balancers,
                   net::Networks::Parse(config.load_balancers.networks));
  std::unique_ptr<AccessLogFile> access_log;
  if (!config.access_log.empty()) {
    ASSIGN_OR_RETURN(access_log, AccessLogFile::Open(config.access_log));
  }
  std::unique_ptr<ProxyServer> server(new ProxyServer(
      config, std::move(hosts), frontend, std::move(balancers),
      OpenUsedTicketStore(config.state_directory, clock.Now()),
      std::move(listener), std::move(tls), std::move(access_log), clock));
  server->UpdateCertificates();
  SetTcpKeepalive(server->listener_.get(), config.limits.tcp_keepalive_timeout);
  const unsigned count =
      config.loops > 0 ? static_cast<unsigned>(config.loops)
                       : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto loop, net::EventLoop::Create());
    auto worker = std::make_unique<Worker>(server->shared_, std::move(loop),
                                           cookie_key, server->tls_.context(),
                                           server->access_log_.get());
    RETURN_IF_ERROR(worker->Listen(server->listener_.get()));
    server->workers_.push_back(std::move(worker));
  }
  std::vector<ReverseTunnels*> all_tunnels;
  for (auto& worker : server->workers_)
    all_tunnels.push_back(&worker->state().reverse_tunnels());
  for (ReverseTunnels* tunnels : all_tunnels) tunnels->SetPeers(all_tunnels);
  return server;
}

absl::Status ProxyServer::ServeRedirects(UniqueFd listener) {
  for (auto& worker : workers_) {
    RETURN_IF_ERROR(worker->ListenPlain(
        listener.get(), ListenerKind::kPublic,
        [this, raw = worker.get()](const auto& scan, const auto& head) {
          raw->state().counters().plain_requests.Add();
          return HttpsRedirectResponse(scan, head, shared_.hosts);
        }));
  }
  plain_listeners_.push_back(std::move(listener));
  return absl::OkStatus();
}

absl::Status ProxyServer::ServeMetrics(UniqueFd listener) {
  // Metrics are requested every few seconds: one loop is enough.
  RETURN_IF_ERROR(workers_.front()->ListenPlain(
      listener.get(), ListenerKind::kAdmin,
      [this](const auto& scan, const auto& head) {
        return MonitoringResponse(scan, head, *this);
      }));
  plain_listeners_.push_back(std::move(listener));
  return absl::OkStatus();
}

absl::Status ProxyServer::ServeAgents(UniqueFd listener) {
  SetTcpKeepalive(listener.get(), config_.limits.tcp_keepalive_timeout);
  for (auto& worker : workers_) {
    RETURN_IF_ERROR(worker->ListenForAgents(listener.get()));
  }
  agents_listener_ = std::move(listener);
  return absl::OkStatus();
}

std::string ProxyServer::Metrics() const {
  MetricsInput input;
  for (const auto& worker : workers_)
    input.loops.push_back(&worker->state().counters());
  input.open_connections = connections();
  input.started = started_;
  input.now = absl::Now();
  {
    absl::MutexLock lock(&certificates_mutex_);
    input.certificates = certificates_;
  }
  return MetricsText(input);
}

absl::Status ProxyServer::Ready() const {
  if (!has_routes_) {
    return MakePlainError(proxy_server_messages::kNoRoutesYet);
  }
  return absl::OkStatus();
}

void ProxyServer::Start() {
  for (auto& worker : workers_) {
    threads_.emplace_back([&worker] { worker->Run(); });
    pthread_setname_np(threads_.back().native_handle(), "proxy-loop");
  }
}

void ProxyServer::Apply(std::shared_ptr<const RouteUpdate> update) {
  for (const JobId& job : update->removed) shared_.activity.Remove(job);
  for (auto& worker : workers_) worker->Apply(update);
  has_routes_ = true;
}

void ProxyServer::RefreshCertificates() {
  const bool renewed = tls_.Refresh(absl::Now());
  UpdateCertificates();
  if (!renewed) return;
  for (auto& worker : workers_) worker->UseCertificate(tls_.context());
}

void ProxyServer::UpdateCertificates() {
  const absl::Time now = absl::Now();
  std::vector<CertificateHealth> all = tls_.Certificates(now);
  // The route watcher reports a file that cannot be read.
  const auto own = ReadFile(config_.backend.certificate);
  for (CertificateHealth& one :
       HealthOf("proxy", own.value_or(""), config_.expiry_warn_days, now)) {
    all.push_back(std::move(one));
  }
  absl::MutexLock lock(&certificates_mutex_);
  certificates_ = std::move(all);
}

void ProxyServer::ReopenLog() {
  if (access_log_ == nullptr) return;
  if (const absl::Status reopened = access_log_->Reopen(); !reopened.ok()) {
    LogError("access log not reopened, keeping the old file",
             {{"error", reopened.ToString()}});
  }
}

void ProxyServer::HandOver() {
  for (auto& worker : workers_) worker->StopAccepting();
  for (auto& worker : workers_) worker->WaitForPosted();
  listener_.reset();
  agents_listener_.reset();
  plain_listeners_.clear();
  LogInfo("waiting for open connections", {{"connections", connections()}});
}

void ProxyServer::CheckClock() {
  const absl::Duration ahead = ClockAhead(shared_.clock);
  const absl::Duration jump = ahead - std::exchange(clock_ahead_, ahead);
  if (absl::AbsDuration(jump) < kJump) return;
  LogWarning("clock changed", {{"by", absl::FormatDuration(jump)}});
  for (auto& worker : workers_) worker->Recheck();
}

void ProxyServer::UpdateOverload() { shared_.overload.Update(); }

void ProxyServer::Drain() {
  using std::chrono::steady_clock;
  const auto timeout = absl::ToChronoMilliseconds(config_.limits.drain_timeout);
  const auto start = steady_clock::now();
  LogInfo("draining", {{"connections", connections()}});
  for (auto& worker : workers_) worker->StopAccepting();
  bool websockets = true;
  while (connections() > 0 && steady_clock::now() < start + timeout) {
    absl::SleepFor(absl::Milliseconds(20));
    if (websockets && steady_clock::now() > start + timeout / 4) {
      websockets = false;
      for (auto& worker : workers_) worker->CloseWebsockets();
    }
  }
  for (auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace carme::proxy
