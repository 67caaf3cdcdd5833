// A connection that coroutines read and write.
//
//   net::IoResult got = co_await stream.Read(buffer, sizeof buffer);
//   if (got.error != 0 || got.bytes == 0) co_return;
//   net::IoResult put = co_await stream.Write({buffer, got.bytes});
//
// Not thread-safe: used on its loop's thread.
//
// 1. At most one coroutine reads and one writes at a time. It may be the same
//    coroutine; a relay has two.
// 2. A read that had to wait resumes its coroutine at once, so a read into
//    EventLoop::scratch() may be used until the next co_await.
// 3. Write copies the bytes that the kernel does not accept at once, and ends
//    when all bytes were sent. Memory is therefore bounded by the size of one
//    write, which should be at most 64 KiB.
// 4. A stream must not be destroyed while a coroutine waits on it. Cancel makes
//    all waiting and future operations fail; then the owner destroys it.
//
// A stream may also be a part of another connection and have no descriptor.
// Such a class overrides Flush, keeps unsent bytes in unsent(), and calls Wake
// when its state has changed.
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

// The result of a read or write.
struct IoResult {
  size_t bytes = 0;  // of a read: 0 without an error is the end of the stream
  int error = 0;     // an errno; ETIMEDOUT: deadline; ECANCELED: Cancel;
                     // EPROTO: not TLS as expected
};

class Stream : private EventSource, private Timer {
 public:
  // How the peer ended its direction.
  enum class End { kNone, kClean, kCut };

  // Called for an end or a reset that arrives while no read waits. Must not
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

  // Reads up to `size` bytes; 0 only at the end.
  ReadOperation Read(char* data, size_t size) {
    return ReadOperation{*this, data, size, {}, {}};
  }
  // Writes all of `data`, which may be destroyed after the call.
  WriteOperation Write(std::string_view data);
  // Ends this side's direction (TLS close_notify, then TCP FIN) after all
  // written bytes. Reading is still possible.
  WriteOperation Finish();

  // Waiting and future operations fail with `error`. May be called again.
  void Cancel(int error = ECANCELED);
  // Operations that wait when `delay` has passed fail with ETIMEDOUT, once; the
  // stream stays usable. Replaces the earlier deadline. Cheap enough to be
  // called for each read.
  void ExpireAfter(absl::Duration delay) {
    ArmTimer(absl::ToInt64Milliseconds(delay));
  }
  void NeverExpire() { DisarmTimer(); }

  // Whether an idle connection is still usable: no bytes to read, no end.
  // REQUIRES: no read waits. Discards bytes that it finds.
  bool IsQuiet();
  // Null: no listener. Calls the listener at once if the end has arrived.
  void WatchEnd(EndWatcher* watcher);
  // Whether the next read would return the end; does not consume bytes.
  virtual End PeekEnd() { return End::kNone; }
  // Whether the connection ended without a TLS close_notify. A message that
  // ends with the connection may then be truncated.
  virtual bool truncated() const { return false; }

  // Returns the socket; the stream can only be destroyed then. REQUIRES: no
  // operation waits, and nothing was written.
  UniqueFd Release();

  EventLoop& loop() const { return loop_; }
  int fd() const { return fd_.get(); }

 protected:
  static constexpr int64_t kWait = -EAGAIN;

  Stream(EventLoop& loop, UniqueFd fd);
  explicit Stream(EventLoop& loop) : Stream(loop, UniqueFd()) {}
  absl::Status Register();

  // One attempt: the number of bytes, 0 at the end, kWait, or a negative errno.
  virtual int64_t Receive(char* data, size_t size) = 0;
  // Appends the wire form of `data` to EventLoop::wire(). Returns 0 or an
  // errno.
  virtual int Encode(std::string_view data) = 0;
  virtual int EncodeEnd() = 0;

  // Whether recv() may return data.
  bool readable() const { return readable_; }
  // recv() that maintains the ready flag: no system call without data.
  int64_t ReceiveRaw(char* data, size_t size);
  // Sends the pending bytes and EventLoop::wire(), which it clears.
  virtual void Flush();
  // Retries waiting operations and resumes their coroutines at once, which may
  // destroy this object.
  void Wake();
  std::string& unsent() { return pending_; }
  const std::string& unsent() const { return pending_; }
  // Whether a write is done.
  virtual bool AllSent() const { return pending_.empty(); }
  // Whether a coroutine waits here.
  bool awaited() const { return reader_ != nullptr || writer_ != nullptr; }
  // The error of Cancel; 0: Cancel was not called.
  int cancelled() const { return failed_; }
  // Keeps EventLoop::wire() for the next Flush.
  void Keep();
  // Waits for the socket: a Read without a buffer.
  ReadOperation Readable() { return Read(nullptr, 0); }
  WriteOperation Drained() { return WriteOperation{*this, {}, {}}; }

 private:
  void OnEvents(uint32_t events) override;
  void OnStop() override { Cancel(ECANCELED); }
  void OnDeadline() override;

  // Tries to complete the operation; true: it has its result.
  bool StepRead(ReadOperation* operation);
  bool StepDrain(WriteOperation* operation);
  void SendPending();
  void FailWaiting(int error);

  EventLoop& loop_;
  UniqueFd fd_;
  EndWatcher* watcher_ = nullptr;
  ReadOperation* reader_ = nullptr;
  WriteOperation* writer_ = nullptr;
  std::string pending_;  // wire bytes that the kernel has not accepted yet
  size_t pending_sent_ = 0;
  int failed_ = 0;         // by Cancel: all operations fail with it
  int write_failed_ = 0;   // by the socket
  bool readable_ = false;  // recv() may return data
  bool writable_ = false;
  bool ended_ = false;  // RDHUP, HUP or ERR was reported
  bool finishing_ = false;
  bool finished_ = false;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_STREAM_H_
