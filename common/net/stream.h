// A connection that coroutines read and write.
//
//   net::IoResult got = co_await stream.Read(buffer, sizeof buffer);
//   if (got.error != 0 || got.bytes == 0) co_return;
//   net::IoResult put = co_await stream.Write({buffer, got.bytes});
//
// Thread rule: its loop's thread.
//
// 1. At most one coroutine reads and one writes at a time. Both may be the
//    same; a relay has two.
// 2. A read that had to wait resumes its coroutine at once, so a read into
//    EventLoop::scratch() may be used until the next co_await.
// 3. Write takes the bytes before it returns, and what the kernel did not take
//    is kept here; the result comes when all of it has gone. So memory is
//    bounded by the size of one write, which should be at most 64 KiB.
// 4. Nobody destroys a stream that a coroutine waits on. Cancel makes all
//    waiting and future operations fail; then their owner destroys it.
//
// A stream may also be a part of another connection, without a descriptor of
// its own: then it overrides Flush, keeps what is not sent yet in unsent(), and
// calls Wake when there is news.
#ifndef CARME_COMMON_NET_STREAM_H_
#define CARME_COMMON_NET_STREAM_H_

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/timer_wheel.h"
#include "common/unique_fd.h"

namespace carme::net {

// What a read or write did.
struct IoResult {
  size_t bytes = 0;  // of a read: 0 without an error is the end
  int error = 0;     // an errno; ETIMEDOUT: deadline; ECANCELED: Cancel;
                     // EPROTO: not TLS as expected
};

class Stream : private EventSource, private Timer {
 public:
  // How the other side ended what it sends.
  enum class End { kNone, kClean, kCut };

  // Hears of an end, or a reset, that comes while nobody reads. Must not
  // destroy the stream.
  class EndWatcher {
   public:
    virtual void OnUnreadEnd() = 0;

   protected:
    ~EndWatcher() = default;
  };

  ~Stream() override;

  struct ReadOperation {
    bool await_ready() { return stream.StepRead(this); }
    void await_suspend(std::coroutine_handle<> h) {
      waiter = h;
      stream.reader_ = this;
    }
    IoResult await_resume() const { return result; }
    Stream& stream;
    char* data;
    size_t size;
    IoResult result;
    std::coroutine_handle<> waiter;
  };
  struct [[nodiscard]] WriteOperation {
    bool await_ready() { return stream.StepDrain(this); }
    void await_suspend(std::coroutine_handle<> h) {
      waiter = h;
      stream.writer_ = this;
    }
    IoResult await_resume() const { return result; }
    Stream& stream;
    IoResult result;
    std::coroutine_handle<> waiter;
  };

  // Up to `size` bytes, at least one but at the end.
  ReadOperation Read(char* data, size_t size) {
    return ReadOperation{*this, data, size, {}, {}};
  }
  // The whole of `data`, which need not live on.
  WriteOperation Write(std::string_view data);
  // The end of what this side writes (TLS close_notify, then TCP FIN), after
  // all that was written. Reading goes on.
  WriteOperation Finish();

  // Waiting and future operations fail with `error`. May be called again.
  void Cancel(int error = ECANCELED);
  // What waits `delay` from now fails with ETIMEDOUT, once; the stream can be
  // used on. Replaces the earlier deadline. Cheap: call it at each byte.
  void ExpireAfter(absl::Duration delay) {
    ArmTimer(absl::ToInt64Milliseconds(delay));
  }
  void NeverExpire() { DisarmTimer(); }

  // Whether a connection at rest is still one: nothing to read, no end.
  // REQUIRES: nobody reads. Destroys what it finds to read.
  bool IsQuiet();
  // Null: nobody is told any more. Tells at once of an end that is there.
  void WatchEnd(EndWatcher* watcher);
  // Whether the end is what would be read next; bytes before it stay.
  virtual End PeekEnd() { return End::kNone; }
  // Whether the other side's end came without its saying so: for TLS without a
  // close_notify. A message whose end is the connection's may be cut short.
  virtual bool truncated() const { return false; }

  // The socket without this stream, which is to be destroyed. REQUIRES: nobody
  // waits, nothing was written.
  UniqueFd Release();

  EventLoop& loop() const { return loop_; }
  int fd() const { return fd_.get(); }

 protected:
  static constexpr int64_t kWait = -EAGAIN;

  Stream(EventLoop& loop, UniqueFd fd);
  explicit Stream(EventLoop& loop) : Stream(loop, UniqueFd()) {}
  absl::Status Register();

  // One attempt: bytes, 0 at the end, kWait, or another negative errno.
  virtual int64_t Receive(char* data, size_t size) = 0;
  // Puts the wire form of `data` on EventLoop::wire(). 0 or an errno.
  virtual int Encode(std::string_view data) = 0;
  virtual int EncodeEnd() = 0;

  // Whether a recv() may give something.
  bool readable() const { return readable_; }
  // recv() that keeps the ready flag: no call when nothing can be there.
  int64_t ReceiveRaw(char* data, size_t size);
  // Sends EventLoop::wire() and what was left before; clears the former.
  virtual void Flush();
  // Tries again what waits and resumes it at once, which may destroy this.
  void Wake();
  std::string& unsent() { return pending_; }
  const std::string& unsent() const { return pending_; }
  // Whether a write is done.
  virtual bool AllSent() const { return pending_.empty(); }
  // Whether a coroutine waits here.
  bool awaited() const { return reader_ != nullptr || writer_ != nullptr; }
  // Of Cancel; 0: it was not called.
  int cancelled() const { return failed_; }
  // Leaves EventLoop::wire() to the next Flush.
  void Keep();
  // Waits for the socket itself: a Read with no buffer.
  ReadOperation Readable() { return Read(nullptr, 0); }
  WriteOperation Drained() { return WriteOperation{*this, {}, {}}; }

 private:
  void OnEvents(uint32_t events) override;
  void OnStop() override { Cancel(ECANCELED); }
  void OnDeadline() override;

  // Tries to end the operation now; true when it has its result.
  bool StepRead(ReadOperation* operation);
  bool StepDrain(WriteOperation* operation);
  void SendPending();
  void FailWaiting(int error);

  EventLoop& loop_;
  UniqueFd fd_;
  EndWatcher* watcher_ = nullptr;
  ReadOperation* reader_ = nullptr;
  WriteOperation* writer_ = nullptr;
  std::string pending_;  // wire bytes the kernel did not take yet
  size_t pending_sent_ = 0;
  int failed_ = 0;         // by Cancel: everything fails with it
  int write_failed_ = 0;   // by the socket
  bool readable_ = false;  // a recv may give something
  bool writable_ = false;
  bool ended_ = false;  // RDHUP, HUP or ERR was reported
  bool finishing_ = false;
  bool finished_ = false;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_STREAM_H_
