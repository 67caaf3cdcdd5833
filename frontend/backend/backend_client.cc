#include "frontend/backend/backend_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <chrono>

#include "absl/time/clock.h"
#include "common/grpc/backend_credentials.h"
#include "common/log.h"

namespace carme::frontend {
namespace {

constexpr std::chrono::milliseconds kPollInterval{500};

grpc::ChannelArguments ArgumentsFor(const BackendOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(options.server_name);
  arguments.SetMaxReceiveMessageSize(options.max_response_bytes);
  // Neither proxy variables nor DNS service configs may redirect the
  // connection.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Detects a lost backend before the next call needs it. The backend accepts
  // a ping every 5 s, with or without calls.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // The second one also limits the time of one connection attempt.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  return arguments;
}

std::shared_ptr<grpc::Channel> Connect(const BackendOptions& options) {
  return grpc::CreateCustomChannel(
      options.address, BackendCredentials(options.tls), ArgumentsFor(options));
}

}  // namespace

BackendClient::BackendClient(const BackendOptions& options)
    : address_(options.address),
      timeout_(options.timeout),
      channel_(Connect(options)),
      revoked_(options.tls.revoked),
      away_since_(absl::Now()),
      changes_(std::make_unique<grpc::CompletionQueue>()),
      watching_([this] { Watch(); }) {}

// Releasing the channel changes its state, which ends the wait of the thread.
// REQUIRES: no call is active.
BackendClient::~BackendClient() {
  {
    absl::MutexLock lock(&mutex_);
    channel_.reset();
  }
  watching_.join();
}

void BackendClient::Use(const BackendOptions& options) {
  std::shared_ptr<grpc::Channel> old = Connect(options);  // freed unlocked
  absl::MutexLock lock(&mutex_);
  old.swap(channel_);
  if (options.tls.revoked != revoked_) ++era_;
  revoked_ = options.tls.revoked;
  connected_ = false;
  away_since_ = absl::Now();
}

std::shared_ptr<grpc::Channel> BackendClient::channel() const {
  absl::MutexLock lock(&mutex_);
  return channel_;
}

bool BackendClient::connected() const {
  absl::MutexLock lock(&mutex_);
  return connected_;
}

int BackendClient::era() const {
  absl::MutexLock lock(&mutex_);
  return era_;
}

void BackendClient::Await(absl::Time deadline) const {
  absl::MutexLock lock(&mutex_);
  if (connected_) return;
  mutex_.AwaitWithDeadline(absl::Condition(&connected_),
                           std::min(deadline, away_since_ + timeout_));
}

void BackendClient::Watch() {
  void* tag = nullptr;
  bool changed = false;
  while (WatchNext() && changes_->Next(&tag, &changed)) {
  }
}

bool BackendClient::WatchNext() {
  absl::MutexLock lock(&mutex_);
  if (channel_ == nullptr) return false;
  const grpc_connectivity_state state = channel_->GetState(true);
  Note(state);
  // With a time-out: Use() may replace the channel in the meantime.
  channel_->NotifyOnStateChange(
      state, std::chrono::system_clock::now() + kPollInterval, changes_.get(),
      nullptr);
  return true;
}

void BackendClient::Note(int state) {
  const bool connected = state == GRPC_CHANNEL_READY;
  if (connected && !connected_) {
    LogInfo("backend connected", {{"address", address_}});
    reported_away_ = false;
  }
  if (!connected && connected_) away_since_ = absl::Now();
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE && !reported_away_) {
    LogWarning("backend cannot be reached", {{"address", address_}});
    reported_away_ = true;
  }
  connected_ = connected;
}

}  // namespace carme::frontend
