#include "backend/metrics/server/sample_streams.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "backend/metrics/server/messages.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"

namespace carme::metrics {
namespace {

// How much longer than the idle timeout a stream may be idle, as a part of it.
constexpr int kSweepsPerTimeout = 4;

class RefusedSampleStream : public SampleStreams::Reactor {
 public:
  explicit RefusedSampleStream(const absl::Status& status) {
    Finish(ToGrpc(status));
  }
  void OnDone() override { delete this; }
};

}  // namespace

// One operation at a time: a read, the work on the request, or a write. Only
// the sweeper may end a stream from outside, while it reads.
class SampleStreams::Stream : public Reactor {
 public:
  Stream(SampleStreams* streams, grpc::CallbackServerContext* context,
         CallerCertificate caller, SampleRequests::Slot slot)
      : streams_(streams),
        context_(context),
        caller_(std::move(caller)),
        slot_(std::move(slot)) {
    StartRead(&request_);
  }

  enum class Idle { kNo, kTaken, kWrite };
  // Whether nothing has happened since then. kTaken: the stream reads no more,
  // and the caller must call EndAsIdle(). kWrite: the agent does not read.
  Idle TakeIdle(absl::Time since) {
    absl::MutexLock lock(&mutex_);
    if (used_at_ > since) return Idle::kNo;
    if (state_ == State::kWriting) return Idle::kWrite;
    if (state_ != State::kReading) return Idle::kNo;
    state_ = State::kEnded;
    return Idle::kTaken;
  }
  void EndAsIdle() {
    Finish(ToGrpc(MakeError(server_messages::kSampleStreamIdle)));
  }
  void Cancel() { context_->TryCancel(); }

 private:
  enum class State { kReading, kWorking, kWriting, kEnded };

  // False: the stream has ended.
  bool Enter(State state) {
    absl::MutexLock lock(&mutex_);
    if (state_ == State::kEnded) return false;
    state_ = state;
    used_at_ = absl::Now();
    return true;
  }
  void End(const absl::Status& status) {
    if (Enter(State::kEnded)) Finish(ToGrpc(status));
  }

  void OnReadDone(bool ok) override {
    // The agent sends no more.
    if (!ok) return End(absl::OkStatus());
    if (!Enter(State::kWorking)) return;
    const absl::Status started = streams_->requests_->Start(
        caller_, context_, &request_, &response_,
        [this](const absl::Status& status) { Respond(status); });
    if (!started.ok()) End(started);
  }
  void Respond(const absl::Status& status) {
    request_.Clear();
    if (!status.ok()) return End(status);
    if (Enter(State::kWriting)) StartWrite(&response_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return End(absl::CancelledError("the client has disconnected"));
    if (Enter(State::kReading)) StartRead(&request_);
  }
  void OnDone() override {
    {
      absl::MutexLock lock(&streams_->mutex_);
      streams_->streams_.erase(this);
    }
    delete this;
  }

  SampleStreams* const streams_;
  grpc::CallbackServerContext* const context_;
  const CallerCertificate caller_;
  const SampleRequests::Slot slot_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  absl::Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kReading;
  absl::Time used_at_ ABSL_GUARDED_BY(mutex_) = absl::Now();
};

SampleStreams::SampleStreams(SampleRequests* requests,
                             const SampleServiceLimits& limits)
    : requests_(requests),
      idle_timeout_(limits.idle_timeout),
      open_(limits.streams, limits.streams_per_job),
      sweeper_("sample_streams", idle_timeout_ / kSweepsPerTimeout,
               [this] { EndIdle(); }) {}

SampleStreams::~SampleStreams() = default;

SampleStreams::Reactor* SampleStreams::Open(
    grpc::CallbackServerContext* context) {
  absl::StatusOr<CallerCertificate> caller = requests_->CallerOf(*context);
  if (!caller.ok()) return new RefusedSampleStream(caller.status());
  SampleRequests::Slot slot = open_.TryAcquire(caller->identity.name);
  if (!slot.acquired()) {
    return new RefusedSampleStream(
        MakeError(server_messages::kTooManySampleStreams));
  }
  auto* const stream =
      new Stream(this, context, *std::move(caller), std::move(slot));
  absl::MutexLock lock(&mutex_);
  streams_.insert(stream);
  return stream;
}

void SampleStreams::EndIdle() {
  const absl::Time since = absl::Now() - idle_timeout_;
  std::vector<Stream*> idle;
  {
    absl::MutexLock lock(&mutex_);
    for (Stream* stream : streams_) {
      switch (stream->TakeIdle(since)) {
        case Stream::Idle::kNo:
          break;
        case Stream::Idle::kTaken:
          idle.push_back(stream);
          break;
        case Stream::Idle::kWrite:
          // Under the mutex it is not deleted.
          stream->Cancel();
      }
    }
  }
  // They are not deleted before they are finished.
  for (Stream* stream : idle) stream->EndAsIdle();
}

}  // namespace carme::metrics
