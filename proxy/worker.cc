#include "proxy/worker.h"

#include <utility>

#include "common/log.h"
#include "common/net/tls_stream.h"
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
               std::shared_ptr<const net::TlsContext> tls)
    : services_(services),
      loop_(std::move(loop)),
      head_limits_(HeadLimitsOf(services.limits)),
      tls_(std::move(tls)),
      pool_(*loop_, services.limits.connect_timeout,
            services.limits.frontend_idle_timeout,
            services.limits.agent_idle_timeout),
      seal_(cookie_key) {}

Worker::~Worker() = default;

absl::Status Worker::Listen(int fd) {
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(*loop_, fd,
                            [this](UniqueFd socket, const net::Address& peer) {
                              Accept(std::move(socket), peer);
                            }));
  return absl::OkStatus();
}

void Worker::Run() {
  loop_->Run();
  // Streams at rest belong to the loop's thread.
  pool_.Clear();
  listener_.reset();
}

void Worker::Accept(UniqueFd fd, const net::Address& peer) {
  std::string place = Admission::PlaceOf(peer);
  if (!services_.admission.Enter(place)) {
    LogDebug("connection over the limit", {{"client", peer.Ip()}});
    return;
  }
  loop_->Spawn(Serve(std::move(fd), std::move(place), peer.Ip()));
}

net::Task<void> Worker::Serve(UniqueFd fd, std::string place, std::string ip) {
  absl::StatusOr<std::unique_ptr<net::TlsStream>> stream =
      net::TlsStream::Create(*loop_, std::move(fd), tls_);
  if (stream.ok()) {
    ClientConnection connection(*this, *std::move(stream), std::move(ip));
    co_await connection.Serve();
  }
  services_.admission.Leave(place);
}

void Worker::Apply(std::shared_ptr<const RouteUpdate> update) {
  loop_->Post([this, update] {
    const absl::Time now = services_.clock.Now();
    if (update->trust != nullptr) Use(*update->trust);
    routes_.Apply(*update, now);
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
