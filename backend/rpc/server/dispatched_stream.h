// A server stream of gRPC's callback API that a StreamDispatcher serves.
// Included by the services' .cc files only, because it needs gRPC's headers.
#ifndef CARME_BACKEND_RPC_SERVER_DISPATCHED_STREAM_H_
#define CARME_BACKEND_RPC_SERVER_DISPATCHED_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/rpc/server/messages.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

// The messages of a stream. Used by the dispatcher's thread only.
template <typename Response>
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // Not OK ends the stream with it.
  virtual absl::Status Check() = 0;
  // Fills in the changes. False: there are none. With `heartbeat`, fills a
  // message in any case. An error ends the stream.
  virtual absl::StatusOr<bool> Next(bool heartbeat, Response* message) = 0;
  // True: the last message was filled in, and the stream ends with OK.
  virtual bool IsComplete() { return false; }
};

// gRPC's threads only set flags and wake; everything else is done by the
// dispatcher. The reactor may be used until OnDone, which comes only after
// Finish.
template <typename Response>
class DispatchedStream : public grpc::ServerWriteReactor<Response>,
                         public StreamDispatcher::Stream {
 public:
  using Source = std::unique_ptr<StreamSource<Response>>;

  // Writes a message at least every `heartbeat`.
  DispatchedStream(grpc::CallbackServerContext* context, Source source,
                   absl::Duration heartbeat, StreamDispatcher::Wake wake)
      : context_(*context),
        source_(std::move(source)),
        heartbeat_(heartbeat),
        wake_(std::move(wake)) {}

  bool Advance(const absl::Status& ending) override {
    if (done_) return false;
    if (finished_) return true;
    absl::Status state = ending.ok() ? source_->Check() : ending;
    if (cancelled_) state = absl::CancelledError("the client disconnected");
    if (writing_ && !TakeWriteDone(state)) return true;
    const bool is_complete = state.ok() && source_->IsComplete();
    if (state.ok() && !is_complete) state = WriteNext();
    if (!state.ok() || is_complete) {
      finished_ = true;
      this->Finish(ToGrpc(state));
    }
    return true;
  }

 private:
  // How long a slow reader may delay the last message of a stream that is
  // ending.
  static constexpr absl::Duration kFinalWriteTimeout = absl::Milliseconds(250);

  void OnWriteDone(bool ok) override {
    if (!ok) cancelled_ = true;
    write_done_ = true;
    wake_();
  }
  void OnCancel() override {
    cancelled_ = true;
    wake_();
  }
  void OnDone() override {
    // The dispatcher may delete this as soon as the flag is set.
    const StreamDispatcher::Wake wake = wake_;
    done_ = true;
    wake();
  }

  bool TakeWriteDone(const absl::Status& state) {
    if (write_done_.exchange(false)) {
      writing_ = false;
      return true;
    }
    if (state.ok()) return false;
    const absl::Time now = absl::Now();
    finishing_since_ = std::min(finishing_since_, now);
    if (now - finishing_since_ > kFinalWriteTimeout) context_.TryCancel();
    return false;
  }

  absl::Status WriteNext() {
    const absl::Time now = absl::Now();
    message_.Clear();
    const absl::StatusOr<bool> changed =
        source_->Next(now - written_at_ >= heartbeat_, &message_);
    if (!changed.ok()) return changed.status();
    if (!*changed) return absl::OkStatus();
    written_at_ = now;
    writing_ = true;
    this->StartWrite(&message_);
    return absl::OkStatus();
  }

  grpc::CallbackServerContext& context_;
  const Source source_;
  const absl::Duration heartbeat_;
  const StreamDispatcher::Wake wake_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> write_done_ = false;
  std::atomic<bool> done_ = false;
  // For the dispatcher's thread only.
  Response message_;
  bool writing_ = false;
  bool finished_ = false;
  absl::Time written_at_ = absl::InfinitePast();
  absl::Time finishing_since_ = absl::InfiniteFuture();
};

// Returned instead of a stream that is refused.
template <typename Response>
class RefusedStream : public grpc::ServerWriteReactor<Response> {
 public:
  explicit RefusedStream(const absl::Status& why) { this->Finish(ToGrpc(why)); }

 private:
  void OnDone() override { delete this; }
};

// The result of a callback method: a stream of the messages of `make_source`.
template <typename Response>
grpc::ServerWriteReactor<Response>* OpenStream(
    StreamDispatcher* dispatcher, grpc::CallbackServerContext* context,
    absl::Duration heartbeat,
    const std::function<typename DispatchedStream<Response>::Source(
        StreamDispatcher::Wake)>& make_source) {
  using Stream = DispatchedStream<Response>;
  Stream* const stream =
      dispatcher->Open<Stream>([&](const StreamDispatcher::Wake& wake) {
        return std::make_unique<Stream>(context, make_source(wake), heartbeat,
                                        wake);
      });
  if (stream != nullptr) return stream;
  return new RefusedStream<Response>(
      MakeError(rpc_server_messages::kStreamTooManyOpen));
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_DISPATCHED_STREAM_H_
