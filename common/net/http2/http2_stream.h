// One HTTP/2 stream as a Stream, so that its users need not handle the shared
// connection.
//
// 1. A waiting read is resumed by the connection, never within a callback of
//    nghttp2 or another stream's operation.
// 2. A read extends the peer's window. A write ends when its bytes were passed
//    to the connection, as the peer's windows allow. A slow side therefore
//    slows down the other, and 16 KiB are buffered for each.
#ifndef CARME_COMMON_NET_HTTP2_HTTP2_STREAM_H_
#define CARME_COMMON_NET_HTTP2_HTTP2_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/net/stream.h"

namespace carme::net {

class Http2Stream;

// The interface of a stream to its connection.
class Http2Carrier {
 public:
  // `bytes` of the peer were consumed; id 0: of a stream that has ended.
  virtual void Consumed(int32_t id, size_t bytes) = 0;
  // The stream has bytes to send.
  virtual void SendFor(int32_t id) = 0;
  // Asks for a wake-up from the loop.
  virtual void WakeSoon(Http2Stream* stream) = 0;
  // The stream is destroyed.
  virtual void RemoveStream(Http2Stream* stream) = 0;

 protected:
  ~Http2Carrier() = default;
};

class Http2Stream final : public Stream {
 public:
  // `keeps` is destroyed with this object: for a connection without another
  // owner.
  Http2Stream(Http2Carrier& carrier, EventLoop& loop, int32_t id,
              std::shared_ptr<void> keeps = nullptr);
  ~Http2Stream() override;

  // Registers for the loop's stop.
  absl::Status Start() { return Register(); }
  int32_t id() const { return id_; }

  // Called by the callbacks of nghttp2.
  void TakeData(std::string_view data);
  void TakeEnd();
  // nghttp2 has closed the stream.
  void TakeClose();
  // Copies up to `size` bytes to `to`. `end`: they are the last.
  size_t Give(uint8_t* to, size_t size, bool* end);

  // The next write is the last one; without a write, the last one was.
  void EndWithNext() { end_wanted_ = true; }
  // The response has no body.
  void EndWithHead() { end_wanted_ = end_given_ = true; }
  bool closed() const { return closed_; }
  bool client_ended() const { return received_end_; }
  bool ended() const { return end_given_; }
  bool cut() const { return cancelled() != 0; }
  using Stream::Wake;

 private:
  int64_t Receive(char* data, size_t size) override;
  int Encode(std::string_view data) override;
  int EncodeEnd() override;
  void Flush() override;
  bool AllSent() const override;

  const std::shared_ptr<void> keeps_;
  Http2Carrier& carrier_;
  const int32_t id_;
  std::string received_;
  size_t read_at_ = 0;
  size_t given_ = 0;  // of unsent()
  bool received_end_ = false;
  bool end_wanted_ = false;
  bool end_given_ = false;
  bool closed_ = false;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_HTTP2_HTTP2_STREAM_H_
