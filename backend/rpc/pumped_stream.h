// A server stream of gRPC's callback API that a StreamPump feeds. Included by
// the services' .cc files only, because it needs gRPC's headers.
#ifndef CARME_BACKEND_RPC_PUMPED_STREAM_H_
#define CARME_BACKEND_RPC_PUMPED_STREAM_H_

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
#include "backend/rpc/stream_pump.h"
#include "common/grpc_status.h"

namespace carme::backend {

// What a stream says. Used by the pump's thread.
template <typename Response>
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // Not OK ends the stream with it.
  virtual absl::Status Check() = 0;
  // Fills in what is new. False: nothing is, unless `beat` is set: then a
  // message is wanted in any case. An error ends the stream.
  virtual absl::StatusOr<bool> Next(bool beat, Response* message) = 0;
};

// gRPC's threads only set flags and wake; everything else is the pump's. The
// reactor may be used until OnDone, which comes only after Finish.
template <typename Response>
class PumpedStream : public grpc::ServerWriteReactor<Response>,
                     public StreamPump::Stream {
 public:
  using Source = std::unique_ptr<StreamSource<Response>>;

  // Says something at least every `beat`.
  PumpedStream(grpc::CallbackServerContext* context, Source source,
               absl::Duration beat, StreamPump::Wake wake)
      : context_(*context),
        source_(std::move(source)),
        beat_(beat),
        wake_(std::move(wake)) {}

  bool Advance(const absl::Status& ending) override {
    if (done_) return false;
    if (finished_) return true;
    absl::Status state = ending.ok() ? source_->Check() : ending;
    if (cancelled_) state = absl::CancelledError("the client hung up");
    if (writing_ && !TakeWriteDone(state)) return true;
    if (state.ok()) state = Say();
    if (!state.ok()) {
      finished_ = true;
      this->Finish(ToGrpc(state));
    }
    return true;
  }

 private:
  // How long a reader may keep the last message from being written once the
  // stream is over.
  static constexpr absl::Duration kPatience = absl::Milliseconds(250);

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
    // The pump may delete this as soon as the flag is set.
    const StreamPump::Wake wake = wake_;
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
    over_since_ = std::min(over_since_, now);
    if (now - over_since_ > kPatience) context_.TryCancel();
    return false;
  }

  absl::Status Say() {
    const absl::Time now = absl::Now();
    message_.Clear();
    const absl::StatusOr<bool> something =
        source_->Next(now - said_at_ >= beat_, &message_);
    if (!something.ok()) return something.status();
    if (!*something) return absl::OkStatus();
    said_at_ = now;
    writing_ = true;
    this->StartWrite(&message_);
    return absl::OkStatus();
  }

  grpc::CallbackServerContext& context_;
  const Source source_;
  const absl::Duration beat_;
  const StreamPump::Wake wake_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> write_done_ = false;
  std::atomic<bool> done_ = false;
  // The pump's thread only.
  Response message_;
  bool writing_ = false;
  bool finished_ = false;
  absl::Time said_at_ = absl::InfinitePast();
  absl::Time over_since_ = absl::InfiniteFuture();
};

// The answer to a stream that is not opened.
template <typename Response>
class RefusedStream : public grpc::ServerWriteReactor<Response> {
 public:
  explicit RefusedStream(const absl::Status& why) { this->Finish(ToGrpc(why)); }

 private:
  void OnDone() override { delete this; }
};

// What a callback method returns: a stream of what `make_source` gives.
template <typename Response>
grpc::ServerWriteReactor<Response>* OpenStream(
    StreamPump* pump, grpc::CallbackServerContext* context, absl::Duration beat,
    const std::function<typename PumpedStream<Response>::Source(
        StreamPump::Wake)>& make_source) {
  using Stream = PumpedStream<Response>;
  Stream* const stream = pump->Open<Stream>([&](const StreamPump::Wake& wake) {
    return std::make_unique<Stream>(context, make_source(wake), beat, wake);
  });
  if (stream != nullptr) return stream;
  return new RefusedStream<Response>(
      absl::ResourceExhaustedError("too many streams are open: try again"));
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_PUMPED_STREAM_H_
