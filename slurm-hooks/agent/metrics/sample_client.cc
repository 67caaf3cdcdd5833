#include "slurm-hooks/agent/metrics/sample_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/log.h"
#include "common/protobuf/error_details.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/metrics/node_queue.h"
#include "slurm-hooks/agent/metrics/sample_stream.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(10);
constexpr absl::Duration kFirstDelay = absl::Seconds(1);
constexpr absl::Duration kMaxDelay = absl::Seconds(30);
constexpr absl::Duration kMaxAge = absl::Minutes(5);
// Plots are drawn while the job runs.
constexpr absl::Duration kMinSendInterval = absl::Seconds(1);
constexpr absl::Duration kMaxSendInterval = absl::Seconds(5);
// Below the 1 MiB of samples.proto, and its other limits.
constexpr sampler::BatchLimits kRequestLimits = {
    .max_bytes = 900 << 10, .max_series = 4000, .max_samples = 50'000};

// A request that the server will never accept. A job that it does not know yet
// is PERMISSION_DENIED, and may be accepted later.
bool IsFinal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsUnimplemented(status);
}

// Whether a stream has ended since the last request: carme-metrics restarted,
// or ended the stream because no requests came. Its own errors have a reason.
bool HasEndedBefore(const absl::Status& status) {
  return absl::IsAborted(status) ||
         (absl::IsUnavailable(status) && ErrorReason(status).empty());
}

}  // namespace

struct SampleClient::State {
  State(SampleClientOptions given, sampler::SampleBuffer* the_buffer,
        const Clock* the_clock)
      : options(std::move(given)), buffer(the_buffer), clock(the_clock) {
    send_interval =
        std::clamp(std::min(options.plan.interval, options.plan.gpu_interval),
                   kMinSendInterval, kMaxSendInterval);
    channels.resize(options.plan.servers.size());
  }

  int64_t now_ms() const { return absl::ToUnixMillis(clock->Now()); }
  std::shared_ptr<grpc::Channel> Channel();
  void MakeRequest();
  void GiveUpRequest();
  absl::Status Call(absl::Duration timeout);
  absl::Status Send(absl::Time deadline);
  bool IsStopping();
  // Sends the next request; returns the time until the next call.
  absl::Duration SendNext();

  const SampleClientOptions options;
  sampler::SampleBuffer* const buffer;
  const Clock* const clock;
  absl::Duration send_interval;
  // Used by the thread, and by Finish() after it has ended.
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  size_t server = 0;
  std::optional<carme::v1::WriteSamplesRequest> request;
  absl::Time made_at;    // of the request
  absl::Time clock_at;   // `sent_at_ms` of its nodes is of this time
  bool is_full = false;  // there was more than fits into the request
  absl::Duration delay = kFirstDelay;
  bool failing = false;
  absl::Mutex mutex;
  NodeQueue nodes;                       // guarded by mutex
  bool ending = false;                   // guarded by mutex: no more calls
  bool finishing = false;                // guarded by mutex: the last call
  std::unique_ptr<SampleStream> stream;  // null: none is open
  bool sending = false;                  // guarded by mutex: `stream` is used
  BackgroundThread thread;               // last: uses the other members
};

std::shared_ptr<grpc::Channel> SampleClient::State::Channel() {
  std::shared_ptr<grpc::Channel>& channel = channels[server];
  if (channel != nullptr) return channel;
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(options.plan.server_name);
  // The user's environment must not redirect this connection to a proxy.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 10'000);
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = options.plan.ca_pem;
  tls.pem_cert_chain = options.certificate_pem;
  tls.pem_private_key = options.key_pem;
  channel = grpc::CreateCustomChannel(options.plan.servers[server],
                                      grpc::SslCredentials(tls), arguments);
  return channel;
}

void SampleClient::State::MakeRequest() {
  sampler::BatchLimits limits = kRequestLimits;
  carme::v1::WriteSamplesRequest made;
  made.set_job_id(options.job.value());
  {
    absl::MutexLock lock(&mutex);
    // Half for this node, so that neither waits for the other.
    sampler::BatchLimits of_nodes = limits;
    of_nodes.max_bytes /= 2;
    of_nodes.max_samples /= 2;
    of_nodes.max_series /= 2;
    nodes.MoveTo(&made, &of_nodes, now_ms());
    is_full = !nodes.empty();
    limits.max_bytes /= 2;
    limits.max_samples /= 2;
    limits.max_series /= 2;
  }
  auto own = buffer->Take(now_ms(), limits);
  if (own) *made.add_nodes() = *std::move(own);
  is_full = is_full || buffer->sample_count() > 0;
  if (made.nodes().empty()) return;
  made_at = clock->Now();
  clock_at = made_at;
  request = std::move(made);
}

void SampleClient::State::GiveUpRequest() {
  const std::string& own = buffer->node();
  for (carme::v1::NodeSamples& node : *request->mutable_nodes()) {
    if (node.node() == own) {
      buffer->GiveUp(node);
      continue;
    }
    // Its gap is reported with the next message of that node.
    node.set_dropped(node.dropped() + sampler::CountSamples(node));
    node.clear_series();
    node.clear_events();
    absl::MutexLock lock(&mutex);
    nodes.Add(std::move(node), now_ms());
  }
  request.reset();
}

absl::Status SampleClient::State::Call(absl::Duration timeout) {
  const absl::Time now = clock->Now();
  for (carme::v1::NodeSamples& node : *request->mutable_nodes()) {
    node.set_sent_at_ms(node.sent_at_ms() +
                        absl::ToInt64Milliseconds(now - clock_at));
  }
  clock_at = now;
  const absl::Time deadline = absl::Now() + timeout;
  const bool was_used = stream != nullptr && stream->is_used();
  const absl::Status sent = Send(deadline);
  // What was stored already is stored once.
  if (was_used && HasEndedBefore(sent)) return Send(deadline);
  return sent;
}

absl::Status SampleClient::State::Send(absl::Time deadline) {
  {
    absl::MutexLock lock(&mutex);
    if (ending) return absl::CancelledError("the agent is ending");
    if (stream == nullptr) stream = std::make_unique<SampleStream>(Channel());
    sending = true;
  }
  const auto response = stream->Send(*request, deadline);
  {
    absl::MutexLock lock(&mutex);
    sending = false;
  }
  if (!response.ok()) {
    stream.reset();
    return response.status();
  }
  if (response->rejected() > 0) {
    LogWarning(
        "carme-metrics rejected samples",
        {{"rejected", response->rejected()}, {"stored", response->stored()}});
  }
  return absl::OkStatus();
}

bool SampleClient::State::IsStopping() {
  absl::MutexLock lock(&mutex);
  return ending || finishing;
}

absl::Duration SampleClient::State::SendNext() {
  if (!request) MakeRequest();
  if (!request) return send_interval;
  const absl::Status sent = Call(kCallTimeout);
  if (sent.ok()) {
    if (std::exchange(failing, false)) LogInfo("samples are sent again");
    request.reset();
    delay = kFirstDelay;
    return is_full ? absl::ZeroDuration() : send_interval;
  }
  if (IsStopping()) return absl::InfiniteDuration();
  // Once per loss, not per attempt.
  if (!std::exchange(failing, true)) {
    LogWarning("samples not sent, keeping those of five minutes",
               {{"error", sent.ToString()}});
  }
  if (IsFinal(sent) || clock->Now() - made_at > kMaxAge) GiveUpRequest();
  server = (server + 1) % channels.size();
  const absl::Duration pause = Jittered(delay);
  delay = std::min(delay * 2, kMaxDelay);
  return pause;
}

SampleClient::SampleClient(SampleClientOptions options,
                           sampler::SampleBuffer* buffer, const Clock* clock)
    : state_(std::make_unique<State>(std::move(options), buffer, clock)) {
  state_->thread.Start("samples",
                       [state = state_.get()] { return state->SendNext(); });
}

SampleClient::~SampleClient() {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    if (state_->sending) state_->stream->Cancel();
  }
  state_->thread.Stop();
}

void SampleClient::AddNode(carme::v1::NodeSamples samples) {
  absl::MutexLock lock(&state_->mutex);
  state_->nodes.Add(std::move(samples), state_->now_ms());
}

void SampleClient::Finish(absl::Duration timeout) {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->finishing = true;
    if (state_->sending) state_->stream->Cancel();
  }
  state_->thread.Stop();
  if (state_->failing) return;
  if (!state_->request) state_->MakeRequest();
  if (!state_->request) return;
  const absl::Status sent = state_->Call(timeout);
  if (!sent.ok()) {
    LogWarning("last samples not sent", {{"error", sent.ToString()}});
  }
}

}  // namespace carme::agent
