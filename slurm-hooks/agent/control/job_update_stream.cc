#include "slurm-hooks/agent/control/job_update_stream.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "carme/v1/agent.grpc.pb.h"
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

constexpr absl::Duration kFirstPause = absl::Seconds(1);
constexpr absl::Duration kLongestPause = absl::Seconds(10);
// For the first message: the connection, and the proof. A credential lives
// longer.
constexpr absl::Duration kLongestOpening = absl::Seconds(20);
// The contract says that something comes every 30 s.
constexpr absl::Duration kLongestSilence = absl::Seconds(75);

uint32_t SecondsSince(ActivityTimes::Moment moment) {
  const int64_t seconds = absl::ToInt64Seconds(
      absl::FromChrono(std::chrono::steady_clock::now() - moment));
  return static_cast<uint32_t>(
      std::clamp<int64_t>(seconds, 0, std::numeric_limits<int32_t>::max()));
}

void FillUse(const ActivityTimes& use, WatchJobRequest* request) {
  if (use.input) request->mutable_use()->set_input_s(SecondsSince(*use.input));
  if (use.kernel) {
    request->mutable_use()->set_kernel_s(SecondsSince(*use.kernel));
  }
  if (use.work) request->mutable_use()->set_work_s(SecondsSince(*use.work));
}

// Waits for the one operation under way; whether it succeeded.
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
  State(BackendConnection* the_channel, SlurmJobId the_job, OnUpdate to_call)
      : channel(the_channel), job(the_job), on_news(std::move(to_call)) {}

  // One stream, to its end; true when it said anything.
  bool FollowOnce(absl::Status* end);
  void Run();
  // False: the end has come. Ends early when there is something to say.
  bool Pause(absl::Duration pause) {
    absl::MutexLock lock(&mutex);
    const auto over = [this] { return ending || to_say != said; };
    mutex.AwaitWithTimeout(absl::Condition(&over), Jittered(pause));
    return !ending;
  }

  BackendConnection* const channel;
  const SlurmJobId job;
  const OnUpdate on_news;
  absl::Mutex mutex;
  bool ending = false;          // guarded by it
  carme::v1::JobMember member;  // guarded by it
  bool has_member = false;      // guarded by it
  ActivityTimes use;            // guarded by it
  uint64_t to_say = 0;          // guarded by it; of the two above
  uint64_t said = 0;            // by the stream under way; guarded by it
  grpc::ClientContext* under_way = nullptr;  // guarded by it
  std::thread thread;
};

bool JobUpdateStream::State::FollowOnce(absl::Status* end) {
  WatchJobRequest request;
  request.set_slurm_job_id(job.value());
  {
    absl::MutexLock lock(&mutex);
    said = to_say;
    if (has_member) *request.mutable_member() = member;
    FillUse(use, &request);
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
    if (ending || said != to_say) return false;
    under_way = &context;
  }
  grpc::CompletionQueue queue;
  const auto stub = AgentService::NewStub(channel->Get());
  const auto stream = stub->PrepareAsyncWatchJob(&context, request, &queue);
  stream->StartCall(nullptr);
  bool going = Await(&queue, &context, kLongestOpening);
  bool heard = false;
  while (going) {
    WatchJobResponse news;
    stream->Read(&news, nullptr);
    going = Await(&queue, &context, heard ? kLongestSilence : kLongestOpening);
    if (!going) break;
    heard = true;
    if (news.ByteSizeLong() > 0) on_news(std::move(news));
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  Await(&queue, &context, kLongestOpening);
  *end = FromGrpc(status);
  absl::MutexLock lock(&mutex);
  under_way = nullptr;
  return heard;
}

void JobUpdateStream::State::Run() {
  absl::Duration pause = kFirstPause;
  bool told = false;
  do {
    absl::Status end;
    if (FollowOnce(&end)) {
      pause = kFirstPause;
      told = false;
    }
    {
      absl::MutexLock lock(&mutex);
      if (ending) return;
      if (said != to_say) continue;  // to Pause, which does not wait
    }
    // Once for each time it is lost, not for each attempt.
    if (!std::exchange(told, true)) {
      LogWarning("backend not heard, what it said last stays",
                 {{"error", end.ToString()}});
    }
    pause = std::min(pause * 2, kLongestPause);
  } while (Pause(pause));
}

JobUpdateStream::JobUpdateStream(BackendConnection* channel, SlurmJobId job,
                                 OnUpdate on_news)
    : state_(std::make_unique<State>(channel, job, std::move(on_news))) {
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

void JobUpdateStream::Say(const carme::v1::JobMember& member) {
  absl::MutexLock lock(&state_->mutex);
  state_->member = member;
  state_->has_member = true;
  ++state_->to_say;
  if (state_->under_way != nullptr) state_->under_way->TryCancel();
}

void JobUpdateStream::Say(const ActivityTimes& use) {
  absl::MutexLock lock(&state_->mutex);
  state_->use = use;
  ++state_->to_say;
  if (state_->under_way != nullptr) state_->under_way->TryCancel();
}

JobUpdateStream::~JobUpdateStream() {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    if (state_->under_way != nullptr) state_->under_way->TryCancel();
  }
  state_->thread.join();
}

}  // namespace carme::agent
