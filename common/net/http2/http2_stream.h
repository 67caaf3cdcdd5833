// The bytes of one HTTP/2 stream, both ways, as a Stream: what reads and
// writes it need not know that a connection is shared.
//
// 1. A read that waits is resumed by the connection, never within a callback of
//    nghttp2 or another stream's operation.
// 2. What is read makes room in the other side's window; what is written is
//    done when it has left for the connection, as the other side's windows
//    allow. So a slow side slows the other, and 16 KiB are held for each.
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

// What a stream needs of its connection.
class Http2Carrier {
 public:
  // `bytes` of the other side's were used; id 0: of a stream that is gone.
  virtual void Consumed(int32_t id, size_t bytes) = 0;
  // There is something to send.
  virtual void SendFor(int32_t id) = 0;
  // To be woken, soon.
  virtual void WakeSoon(Http2Stream* stream) = 0;
  // It goes away.
  virtual void Forget(Http2Stream* stream) = 0;

 protected:
  ~Http2Carrier() = default;
};

class Http2Stream final : public Stream {
 public:
  // `keeps` lives as long as this: a carrier that nobody else may keep.
  Http2Stream(Http2Carrier& carrier, EventLoop& loop, int32_t id,
              std::shared_ptr<void> keeps = nullptr);
  ~Http2Stream() override;

  // Hears of the loop's stop from now on.
  absl::Status Start() { return Register(); }
  int32_t id() const { return id_; }

  // Within nghttp2's callbacks.
  void TakeData(std::string_view data);
  void TakeEnd();
  // It is over for nghttp2.
  void TakeClose();
  // Puts up to `size` bytes at `to`. `end`: they are the last.
  size_t Give(uint8_t* to, size_t size, bool* end);

  // What goes out ends with what is written next, or with what was.
  void EndWithNext() { end_wanted_ = true; }
  // The answer's head said that no body follows.
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
