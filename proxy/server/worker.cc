#include "proxy/server/worker.h"

#include <future>
#include <utility>

#include "common/log.h"
#include "common/net/tls/tls_buffers.h"
#include "common/status.h"

namespace carme::proxy {

absl::Status Worker::ListenPlain(int fd, ListenerKind kind,
                                 AdminHandler handler) {
  ASSIGN_OR_RETURN(auto listener,
                   PlainListener::Create(state_, fd, kind, std::move(handler)));
  plain_listeners_.push_back(std::move(listener));
  return absl::OkStatus();
}

void Worker::Run() {
  const net::TlsBuffers buffers;
  state_.loop().Run();
  // Idle streams belong to the loop's thread.
  state_.Shutdown();
  clients_.Close();
  plain_listeners_.clear();
}

void Worker::Apply(std::shared_ptr<const RouteUpdate> update) {
  state_.loop().Post([this, update] {
    const absl::Time now = state_.shared().clock.Now();
    if (update->trust != nullptr) UseTrustAnchors(*update->trust);
    if (!state_.ApplyRoutes(*update, now)) return;
    state_.pool().Recheck(state_.routes(), now);
    state_.reverse_tunnels().Recheck();
    for (ClientConnection* connection : clients_.connections()) {
      connection->Recheck();
    }
  });
}

// A backend that reconnects usually sends the same issuer with its snapshot:
// nothing is closed then.
void Worker::UseTrustAnchors(const TrustAnchors& trust) {
  const TrustAnchors* current = state_.routes().trust();
  const bool issuer_changed =
      current != nullptr && current->job_ca != trust.job_ca;
  state_.pool().SetAgentContext(trust.agents, issuer_changed);
  state_.reverse_tunnels().SetAgentContext(trust.agents, issuer_changed);
  if (!issuer_changed) return;
  LogInfo("job CA changed, closing connections to agents of the old CA");
  for (ClientConnection* connection : clients_.connections()) {
    connection->CheckAgentCertificate(*trust.agents);
  }
}

void Worker::UseCertificate(std::shared_ptr<const net::TlsContext> tls) {
  state_.loop().Post([this, tls] { clients_.UseCertificate(tls); });
}

void Worker::StopAccepting() {
  state_.loop().Post([this] {
    state_.StartDraining();
    clients_.Close();
    state_.reverse_tunnels().StopAccepting();
    for (auto& listener : plain_listeners_) listener->Close();
    for (ClientConnection* connection : clients_.connections()) {
      connection->CloseIfIdle();
    }
  });
}

void Worker::Recheck() {
  state_.loop().Post([this] {
    state_.pool().Recheck(state_.routes(), state_.shared().clock.Now());
    for (ClientConnection* connection : clients_.connections()) {
      connection->Recheck();
    }
  });
}

void Worker::WaitForPosted() {
  std::promise<void> done;
  state_.loop().Post([&done] { done.set_value(); });
  done.get_future().wait();
}

void Worker::CloseWebsockets() {
  state_.loop().Post([this] {
    for (ClientConnection* connection : clients_.connections()) {
      connection->CloseIfWebsocket();
    }
  });
}

}  // namespace carme::proxy
