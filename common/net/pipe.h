// Two connected streams on two loops: bytes that are written to one are read
// from the other.
//
//   auto pipe = std::make_shared<Pipe>(here, there);
//   std::unique_ptr<Stream> near = Pipe::NewEnd(pipe, here);   // on its thread
//   std::unique_ptr<Stream> far = Pipe::NewEnd(pipe, there);   // on its thread
//
// Finish ends one direction. An end that is destroyed without Finish resets the
// other end, after the bytes that it had written.
#ifndef CARME_COMMON_NET_PIPE_H_
#define CARME_COMMON_NET_PIPE_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"

namespace carme::net {

// Thread-safe. The loops must outlive it and its ends.
class Pipe {
 public:
  // REQUIRES: two different loops.
  Pipe(EventLoop& a, EventLoop& b) {
    sides_[0].loop = &a;
    sides_[1].loop = &b;
  }
  Pipe(const Pipe&) = delete;

  // The end on `loop`. Call it once for each loop, on its thread.
  static std::unique_ptr<Stream> NewEnd(std::shared_ptr<Pipe> pipe,
                                        EventLoop& loop);

 private:
  class End;
  struct Side {
    EventLoop* loop = nullptr;
    End* end = nullptr;   // used on its loop's thread only
    std::string written;  // not read by the other side yet
    size_t read_at = 0;
    bool ended = false;  // nothing more will be written
    bool gone = false;   // the end was destroyed
  };
  static void Wake(const std::shared_ptr<Pipe>& pipe, int side);

  std::mutex mutex_;
  Side sides_[2];  // guarded by mutex_, except `loop` and `end`
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_PIPE_H_
