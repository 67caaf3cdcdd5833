#include "proxy/control/route_watcher.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/time/clock.h"
#include "carme/v1/routes.grpc.pb.h"
#include "carme/v1/routes.pb.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/status.h"
#include "proxy/access/grant_cookie.h"
#include "proxy/control/messages.h"

namespace carme::proxy {
namespace {

constexpr absl::Duration kFirstDelay = absl::Milliseconds(100);
constexpr absl::Duration kMaxRetryDelay = absl::Seconds(3);

absl::StatusOr<std::shared_ptr<const TrustAnchors>> ToTrust(
    const v1::Keys& keys, const std::string& certificate,
    const std::string& key) {
  ASSIGN_OR_RETURN(VerifyingKey tickets,
                   VerifyingKey::FromRaw(keys.ticket_public_key()));
  if (!keys.cookie_key().empty() &&
      keys.cookie_key().size() != GrantCookieSealer::kKeyBytes) {
    return MakePlainError(proxy_control_messages::kCookieKeyInvalid,
                          {{"bytes", keys.cookie_key().size()}});
  }
  net::TlsOptions options;
  options.certificate = certificate;
  options.key = key;
  options.peer_ca = keys.job_ca_pem();
  ASSIGN_OR_RETURN(std::shared_ptr<const net::TlsContext> agents,
                   net::TlsContext::Client(options));
  return std::make_shared<const TrustAnchors>(
      TrustAnchors{std::move(tickets), keys.ticket_public_key(),
                   keys.job_ca_pem(), keys.cookie_key(), std::move(agents)});
}

absl::StatusOr<JobId> ToJobId(const std::string& text) {
  if (!IsJobId(text)) {
    return MakePlainError(proxy_control_messages::kJobIdInvalid,
                          {{"job", text}});
  }
  return JobId(text);
}

}  // namespace

// One stream. gRPC calls it on its threads; the watcher's thread waits for its
// end.
class RouteWatcher::Stream
    : public grpc::ClientReadReactor<v1::WatchRoutesResponse> {
 public:
  Stream(const OnUpdate& on_update, std::string certificate, std::string key)
      : on_update_(on_update),
        certificate_(std::move(certificate)),
        key_(std::move(key)) {}

  void Begin(v1::RouteService::Stub* stub) {
    stub->async()->WatchRoutes(&context_, &request_, this);
    StartRead(&message_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

  // False after `silence` without a message.
  bool WaitForDone(absl::Duration silence) {
    std::unique_lock lock(mutex_);
    const int64_t before = messages_;
    return changed_.wait_for(lock, absl::ToChronoMilliseconds(silence), [&] {
      return done_ || messages_ != before;
    }) && done_;
  }
  bool heard_since(int64_t* seen) {
    std::lock_guard lock(mutex_);
    return std::exchange(*seen, messages_) != messages_;
  }
  absl::Status status() {
    std::lock_guard lock(mutex_);
    return broken_.ok() ? FromGrpc(status_) : broken_;
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    auto update = ToRouteUpdate(message_, certificate_, key_);
    if (update.ok() && !began_ && !(*update)->snapshot) {
      update = MakePlainError(proxy_control_messages::kSnapshotExpected);
    }
    if (!update.ok()) {
      {
        std::lock_guard lock(mutex_);
        broken_ = update.status();
      }
      return Cancel();
    }
    if (!std::exchange(began_, true)) {
      LogInfo("routes received", {{"routes", (*update)->routes.size()}});
    }
    on_update_(*std::move(update));
    {
      std::lock_guard lock(mutex_);
      ++messages_;
    }
    changed_.notify_all();
    StartRead(&message_);
  }

  void OnDone(const grpc::Status& status) override {
    std::lock_guard lock(mutex_);
    status_ = status;
    done_ = true;
    // Notify under the lock: the waiter may destroy this object after it is
    // released.
    changed_.notify_all();
  }

  const OnUpdate& on_update_;
  const std::string certificate_;
  const std::string key_;
  grpc::ClientContext context_;
  v1::WatchRoutesRequest request_;
  v1::WatchRoutesResponse message_;
  bool began_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t messages_ = 0;  // the next four: guarded by mutex_
  bool done_ = false;
  absl::Status broken_;
  grpc::Status status_;
};

RouteWatcher::RouteWatcher(BackendEndpoint source, OnUpdate on_update)
    : source_(std::move(source)),
      on_update_(std::move(on_update)),
      retry_delay_(kFirstDelay) {}

void RouteWatcher::Start() {
  thread_.Start("route-watcher", [this] { return WatchNext(); });
}

absl::Duration RouteWatcher::WatchNext() {
  connected_ = false;
  const absl::Status status = WatchOnce();
  if (thread_.stopping()) return absl::ZeroDuration();
  if (connected_) {
    retry_delay_ = kFirstDelay;
    loss_logged_ = false;
  }
  // Log each loss once, not each attempt to reconnect.
  if (!status.ok() && !std::exchange(loss_logged_, true)) {
    LogWarning("route stream lost, keeping known routes",
               {{"backend", source_.address}, {"error", status.ToString()}});
  }
  retry_delay_ = std::min(retry_delay_ * 2, kMaxRetryDelay);
  return retry_delay_;
}

void RouteWatcher::Warn(const TlsMaterial& tls) {
  const absl::Time now = absl::Now();
  warnings_.Check(
      HealthOf("proxy", tls.certificate, source_.expiry_warn_days, now), now);
  warnings_.Check(HealthOfList(tls.revoked, tls.ca, now), now);
}

// OK: the certificate files changed, so the stream must be restarted.
absl::Status RouteWatcher::WatchOnce() {
  ASSIGN_OR_RETURN(TlsFiles files,
                   TlsFiles::Open({source_.certificate_file, source_.key_file,
                                   source_.ca_file, source_.crl_file}));
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(source_.server_name);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // The default of 4 MiB is too small for tens of thousands of routes.
  arguments.SetMaxReceiveMessageSize(64 * 1024 * 1024);
  // A new connection, because an existing one was verified with an older
  // revocation list.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  auto channel = grpc::CreateCustomChannel(
      source_.address, BackendCredentials(files.material()), arguments);
  auto stub = v1::RouteService::NewStub(channel);
  Stream stream(on_update_, files.material().certificate, files.material().key);
  stream.Begin(stub.get());
  int64_t seen = 0;
  absl::Duration silent;
  constexpr absl::Duration kPollInterval = absl::Milliseconds(200);
  constexpr int kPollsPerWarning = 50;
  bool renewed = false;
  int polls = 0;
  Warn(files.material());
  while (!stream.WaitForDone(kPollInterval)) {
    if (files.Refresh()) {
      renewed = true;
      stream.Cancel();
    }
    // Reading the certificates five times a second would take 0.5 % of a core.
    if (++polls % kPollsPerWarning == 0) Warn(files.material());
    const bool received = stream.heard_since(&seen);
    connected_ = connected_ || received;
    silent = received ? absl::ZeroDuration() : silent + kPollInterval;
    if (thread_.stopping() || silent > source_.max_silence) stream.Cancel();
  }
  connected_ = connected_ || stream.heard_since(&seen);
  return renewed ? absl::OkStatus() : stream.status();
}

absl::StatusOr<std::shared_ptr<const RouteUpdate>> ToRouteUpdate(
    const v1::WatchRoutesResponse& message, const std::string& certificate,
    const std::string& key) {
  auto update = std::make_shared<RouteUpdate>();
  update->snapshot = message.snapshot();
  for (const v1::Route& route : message.routes()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(route.job_id()));
    ASSIGN_OR_RETURN(net::Address agent,
                     net::Address::FromIp(route.address(), route.port()));
    update->routes.push_back({std::move(job), agent});
  }
  for (const std::string& removed : message.removed()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(removed));
    update->removed.push_back(std::move(job));
  }
  for (const v1::RevokedSession& revoked : message.revoked_sessions()) {
    // Without an expiry it is kept until the backend restores the session.
    absl::Time until =
        revoked.has_forget_after()
            ? absl::FromUnixSeconds(revoked.forget_after().seconds())
            : absl::InfiniteFuture();
    update->revoked.push_back({SessionId(revoked.session_id()), until});
  }
  for (const std::string& restored : message.restored_sessions()) {
    update->restored.emplace_back(restored);
  }
  for (const v1::JobStatus& job_status : message.statuses()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(job_status.job_id()));
    update->job_statuses.emplace_back(std::move(job), ToJobStatus(job_status));
  }
  if (message.has_keys()) {
    ASSIGN_OR_RETURN(update->trust, ToTrust(message.keys(), certificate, key));
  } else if (message.snapshot()) {
    return MakePlainError(proxy_control_messages::kNoKeys);
  }
  return std::shared_ptr<const RouteUpdate>(std::move(update));
}

}  // namespace carme::proxy
