#include "slurm-hooks/agent/data_path/data_path.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/net/relay.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/usage/input_detector.h"

namespace carme::agent {
namespace {

// An attacker must not fill the log of the job.
constexpr int64_t kBetweenRefusalsMs = 1000;

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);

// The maximum of a timer; the certificate expires long before.
constexpr absl::Duration kLongest = absl::Hours(24 * 366);

// Reads exactly the requested bytes: the following ones belong to the app.
net::Task<absl::Status> ReadExactly(net::Stream& stream, char* data,
                                    size_t size) {
  size_t done = 0;
  while (done < size) {
    const net::IoResult got = co_await stream.Read(data + done, size - done);
    if (got.error != 0) co_return ErrnoError(got.error, "read the preamble");
    if (got.bytes == 0) {
      co_return absl::UnavailableError("connection closed during the preamble");
    }
    done += got.bytes;
  }
  co_return absl::OkStatus();
}

}  // namespace

DataPath::DataPath(net::EventLoop& loop, net::TlsOptions tls, GrantRules rules,
                   const Clock& clock, AppConnector connect_app,
                   DataPathOptions options)
    : loop_(loop),
      rules_(std::move(rules)),
      clock_(clock),
      connect_app_(std::move(connect_app)),
      options_(std::move(options)),
      tls_options_(std::move(tls)) {}

absl::StatusOr<std::unique_ptr<DataPath>> DataPath::Create(
    net::EventLoop& loop, int listener, net::TlsOptions tls, GrantRules rules,
    const Clock& clock, AppConnector connect_app, DataPathOptions options) {
  std::unique_ptr<DataPath> path(
      new DataPath(loop, std::move(tls), std::move(rules), clock,
                   std::move(connect_app), std::move(options)));
  ASSIGN_OR_RETURN(path->tls_, net::TlsContext::Server(path->tls_options_));
  DataPath* self = path.get();
  if (listener >= 0) {
    ASSIGN_OR_RETURN(
        path->listener_,
        net::Listener::Create(loop, listener,
                              [self](UniqueFd fd, const net::Address& peer) {
                                self->Accept(std::move(fd), peer);
                              }));
  }
  for (const net::Address& proxy : path->options_.dial) {
    path->tunnels_.push_back(std::make_unique<ReverseTunnel>(
        loop, ReverseTunnelOptions{
                  proxy, path->rules_.job, [self] { return self->tls_; },
                  [self](std::unique_ptr<net::Stream> stream) {
                    self->loop_.Spawn(self->ServeStream(std::move(stream)));
                  },
                  static_cast<uint32_t>(path->options_.max_authenticated)}));
    path->tunnels_.back()->Start();
  }
  return path;
}

absl::Status DataPath::Use(const ProxyTrust& trust) {
  if (trust.ca_pem == tls_options_.peer_ca &&
      trust.revoked == tls_options_.revoked) {
    return absl::OkStatus();
  }
  net::TlsOptions options = tls_options_;
  options.peer_ca = trust.ca_pem;
  options.revoked = trust.revoked;
  // A new context has new ticket keys, so that no client resumes a session of
  // the old one.
  ASSIGN_OR_RETURN(tls_, net::TlsContext::Server(options));
  tls_options_ = std::move(options);
  size_t ended = 0;
  for (net::TlsStream* proxy : authenticated_) {
    if (proxy->CheckAgain(*tls_).ok()) continue;
    proxy->Cancel(ECONNABORTED);
    ++ended;
  }
  for (const auto& dialer : tunnels_) dialer->Recheck();
  LogInfo("proxy certificates updated",
          {{"revoked", trust.revoked.size()}, {"ended", ended}});
  return absl::OkStatus();
}

void DataPath::Accept(UniqueFd fd, const net::Address& peer) {
  loop_.Spawn(Serve(std::move(fd), peer.Ip()));
}

net::Task<void> DataPath::Serve(UniqueFd fd, std::string peer) {
  auto created = net::TlsStream::Create(loop_, std::move(fd), tls_);
  if (!created.ok()) {
    LogRefusal(peer, created.status());
    co_return;
  }
  net::TlsStream& proxy = **created;
  const auto grant = co_await Authenticate(proxy);
  absl::Status status = grant.status();
  // The trust may have changed since the handshake.
  if (grant.ok() && proxy.context() != tls_.get()) {
    status = proxy.CheckAgain(*tls_);
  }
  if (status.ok()) {
    authenticated_.insert(&proxy);
    status = co_await RelayToApp(proxy, *grant);
    authenticated_.erase(&proxy);
  }
  // Connections that end because the loop stops were not refused.
  if (!status.ok() && !absl::IsCancelled(status)) LogRefusal(peer, status);
}

net::Task<absl::StatusOr<AcceptedGrant>> DataPath::Authenticate(
    net::TlsStream& proxy) {
  if (unauthenticated_.size() >= options_.max_unauthenticated) {
    unauthenticated_.front()->Cancel(ECONNABORTED);
    unauthenticated_.pop_front();
  }
  unauthenticated_.push_back(&proxy);
  // Set once: single bytes do not extend it.
  proxy.ExpireAfter(options_.unauthenticated_timeout);
  const absl::Status shaken = co_await proxy.Handshake();
  absl::StatusOr<AcceptedGrant> grant = absl::InternalError("not read");
  if (shaken.ok()) {
    grant = co_await ReadGrant(proxy);
  } else {
    grant = shaken;
  }
  unauthenticated_.remove(&proxy);
  proxy.NeverExpire();
  co_return grant;
}

net::Task<void> DataPath::ServeStream(std::unique_ptr<net::Stream> stream) {
  stream->ExpireAfter(options_.unauthenticated_timeout);
  const auto grant = co_await ReadGrant(*stream);
  stream->NeverExpire();
  absl::Status status = grant.status();
  if (status.ok()) {
    ++streams_;
    status = co_await RelayToApp(*stream, *grant);
    --streams_;
  }
  if (!status.ok() && !absl::IsCancelled(status)) LogRefusal("link", status);
}

net::Task<absl::StatusOr<AcceptedGrant>> DataPath::ReadGrant(
    net::Stream& proxy) {
  std::string head(kPreambleHeadBytes, '\0');
  absl::Status read = co_await ReadExactly(proxy, head.data(), head.size());
  if (!read.ok()) co_return read;
  const auto length = ReadPreambleHead(head);
  if (!length.ok()) co_return length.status();
  std::string body(*length, '\0');
  read = co_await ReadExactly(proxy, body.data(), body.size());
  if (!read.ok()) co_return read;
  co_return VerifyGrant(body, rules_, clock_.Now());
}

net::Task<absl::Status> DataPath::RelayToApp(net::Stream& proxy,
                                             const AcceptedGrant& grant) {
  if (authenticated_.size() + streams_ > options_.max_authenticated) {
    co_return absl::ResourceExhaustedError(
        absl::StrCat(options_.max_authenticated, " connections are open"));
  }
  auto connected = co_await ConnectToApp(grant.app);
  if (!connected.ok()) co_return connected.status();
  auto app = net::NewSocketStream(loop_, *std::move(connected));
  if (!app.ok()) co_return app.status();
  net::RelayOptions relay;
  relay.longest = std::min(grant.expires_at - clock_.Now(), kLongest);
  InputDetector meter;
  const std::function<void(std::string_view)> watch =
      [&meter, this](std::string_view bytes) {
        if (meter.Feed(bytes)) options_.on_input();
      };
  if (options_.on_input) relay.watch_a_to_b = &watch;
  const net::RelayResult result = co_await net::Relay(proxy, **app, relay);
  LogDebug("connection ended", {{"session", grant.session.value()},
                                {"in_bytes", result.a_to_b_bytes},
                                {"out_bytes", result.b_to_a_bytes},
                                {"error", result.error}});
  co_return absl::OkStatus();
}

// An app that has just died refuses connections until its end is processed. The
// connection then waits for the next start.
net::Task<absl::StatusOr<UniqueFd>> DataPath::ConnectToApp(std::string app) {
  absl::Time deadline = absl::InfiniteFuture();
  for (;;) {
    const absl::StatusOr<std::string> socket = co_await connect_app_(app);
    if (!socket.ok()) co_return socket.status();
    const auto address = net::Address::FromPath(*socket);
    if (!address.ok()) co_return address.status();
    auto connected =
        co_await net::Connect(loop_, *address, options_.connect_timeout);
    if (connected.ok()) co_return *std::move(connected);
    const absl::Time now = clock_.Now();
    deadline = std::min(deadline, now + options_.connect_timeout);
    absl::Status refused = Annotate(connected.status(), "connect to the app");
    if (now >= deadline) co_return refused;
    const int stopped = co_await Pause(loop_, kPollInterval);
    if (stopped != 0) co_return refused;
  }
}

void DataPath::LogRefusal(const std::string& peer, const absl::Status& error) {
  const int64_t now_ms = loop_.now_ms();
  if (refusal_logged_ms_ >= 0 &&
      now_ms - refusal_logged_ms_ < kBetweenRefusalsMs) {
    ++refusals_unlogged_;
    return;
  }
  LogWarning("connection refused", {{"peer", peer},
                                    {"error", error.ToString()},
                                    {"before_unlogged", refusals_unlogged_}});
  refusal_logged_ms_ = now_ms;
  refusals_unlogged_ = 0;
}

}  // namespace carme::agent
