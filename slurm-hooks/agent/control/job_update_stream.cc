#include "slurm-hooks/agent/control/job_update_stream.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/concurrency/background_thread.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/request_digest.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/backend_connection.h"
#include "slurm-hooks/agent/control/munge_credential.h"
#include "slurm-hooks/agent/job/backoff.h"

namespace carme::agent {
namespace {

using carme::v1::AgentService;
using carme::v1::WatchJobRequest;
using carme::v1::WatchJobResponse;

constexpr absl::Duration kFirstReconnectDelay = absl::Seconds(1);
constexpr absl::Duration kMaxReconnectDelay = absl::Seconds(10);
// For the first message, which includes connection and authentication. A
// credential is valid for longer.
constexpr absl::Duration kMaxOpening = absl::Seconds(20);
// The backend sends a message every 30 s (agent.proto).
constexpr absl::Duration kMaxSilence = absl::Seconds(75);

uint32_t SecondsSince(ActivityTimes::Moment moment) {
  const int64_t seconds = absl::ToInt64Seconds(
      absl::FromChrono(std::chrono::steady_clock::now() - moment));
  return static_cast<uint32_t>(
      std::clamp<int64_t>(seconds, 0, std::numeric_limits<int32_t>::max()));
}

void SetActivity(const ActivityTimes& use, WatchJobRequest* request) {
  if (use.input) request->mutable_use()->set_input_s(SecondsSince(*use.input));
  if (use.kernel) {
    request->mutable_use()->set_kernel_s(SecondsSince(*use.kernel));
  }
  if (use.work) request->mutable_use()->set_work_s(SecondsSince(*use.work));
}

// Waits for the pending operation; returns whether it succeeded.
bool Await(grpc::CompletionQueue* queue, grpc::ClientContext* context,
           absl::Duration timeout) {
  void* tag = nullptr;
  bool ok = false;
  const auto latest = absl::ToChronoTime(absl::Now() + timeout);
  if (queue->AsyncNext(&tag, &ok, latest) == grpc::CompletionQueue::TIMEOUT) {
    context->TryCancel();
    queue->Next(&tag, &ok);
  }
  return ok;
}

}  // namespace

struct JobUpdateStream::State {
  State(BackendConnection* the_connection, SlurmJobId the_job, OnUpdate to_call)
      : connection(the_connection),
        job(the_job),
        on_update(std::move(to_call)) {}

  // Runs one stream to its end; returns whether it received a message.
  bool RunStream(absl::Status* end);
  // Runs one stream; returns the time until the next.
  absl::Duration WatchNext();

  BackendConnection* const connection;
  const SlurmJobId job;
  const OnUpdate on_update;
  absl::Mutex mutex;
  bool ending = false;                        // guarded by mutex
  carme::v1::LinkedJob own_job;               // guarded by mutex
  bool has_own_job = false;                   // guarded by mutex
  ActivityTimes use;                          // guarded by mutex
  std::vector<std::string> returnable_nodes;  // guarded by mutex
  uint64_t data_version = 0;  // version of the data above; guarded by mutex
  uint64_t sent_version =
      0;  // version sent by the current stream; guarded by mutex
  grpc::ClientContext* active_call = nullptr;   // guarded by mutex
  absl::Duration pause = kFirstReconnectDelay;  // used by the thread only
  bool loss_logged = false;                     // used by the thread only
  BackgroundThread thread;                      // last: uses the other members
};

bool JobUpdateStream::State::RunStream(absl::Status* end) {
  WatchJobRequest request;
  request.set_slurm_job_id(job.value());
  {
    absl::MutexLock lock(&mutex);
    sent_version = data_version;
    if (has_own_job) *request.mutable_job() = own_job;
    SetActivity(use, &request);
    *request.mutable_returnable_nodes() = {returnable_nodes.begin(),
                                           returnable_nodes.end()};
  }
  auto credential = EncodeCredential(
      RequestDigest("/carme.v1.AgentService/WatchJob", request));
  *end = credential.status();
  if (!end->ok()) return false;
  request.set_munge(*std::move(credential));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  {
    absl::MutexLock lock(&mutex);
    if (ending || sent_version != data_version) return false;
    active_call = &context;
  }
  grpc::CompletionQueue queue;
  const auto stub = AgentService::NewStub(connection->Get());
  const auto stream = stub->PrepareAsyncWatchJob(&context, request, &queue);
  stream->StartCall(nullptr);
  bool going = Await(&queue, &context, kMaxOpening);
  bool received = false;
  while (going) {
    WatchJobResponse update;
    stream->Read(&update, nullptr);
    going = Await(&queue, &context, received ? kMaxSilence : kMaxOpening);
    if (!going) break;
    received = true;
    if (update.ByteSizeLong() > 0) on_update(std::move(update));
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  Await(&queue, &context, kMaxOpening);
  *end = FromGrpc(status);
  absl::MutexLock lock(&mutex);
  active_call = nullptr;
  return received;
}

absl::Duration JobUpdateStream::State::WatchNext() {
  absl::Status end;
  if (RunStream(&end)) {
    pause = kFirstReconnectDelay;
    loss_logged = false;
  }
  {
    absl::MutexLock lock(&mutex);
    if (ending) return absl::InfiniteDuration();
    if (sent_version != data_version) return absl::ZeroDuration();
  }
  // Once per loss, not per attempt.
  if (!std::exchange(loss_logged, true)) {
    LogWarning("job updates interrupted, keeping the last values",
               {{"error", end.ToString()}});
  }
  pause = std::min(pause * 2, kMaxReconnectDelay);
  return Jittered(pause);
}

JobUpdateStream::JobUpdateStream(BackendConnection* connection, SlurmJobId job,
                                 OnUpdate on_update)
    : state_(std::make_unique<State>(connection, job, std::move(on_update))) {
  state_->thread.Start("job-updates",
                       [state = state_.get()] { return state->WatchNext(); });
}

void JobUpdateStream::Send(const carme::v1::LinkedJob& own_job) {
  absl::MutexLock lock(&state_->mutex);
  state_->own_job = own_job;
  state_->has_own_job = true;
  ++state_->data_version;
  if (state_->active_call != nullptr) state_->active_call->TryCancel();
  state_->thread.Wake();
}

void JobUpdateStream::Send(const ActivityTimes& use) {
  absl::MutexLock lock(&state_->mutex);
  state_->use = use;
  ++state_->data_version;
  if (state_->active_call != nullptr) state_->active_call->TryCancel();
  state_->thread.Wake();
}

void JobUpdateStream::SendReturnable(const std::vector<std::string>& nodes) {
  absl::MutexLock lock(&state_->mutex);
  state_->returnable_nodes = nodes;
  ++state_->data_version;
  if (state_->active_call != nullptr) state_->active_call->TryCancel();
  state_->thread.Wake();
}

JobUpdateStream::~JobUpdateStream() {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    if (state_->active_call != nullptr) state_->active_call->TryCancel();
  }
  state_->thread.Stop();
}

}  // namespace carme::agent
