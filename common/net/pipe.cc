#include "common/net/pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace carme::net {
namespace {

// The bytes that a writer may be ahead of the reader.
constexpr size_t kMaxUnread = 64 * 1024;

}  // namespace

class Pipe::End final : public Stream {
 public:
  End(EventLoop& loop, std::shared_ptr<Pipe> pipe, int side)
      : Stream(loop),
        pipe_(std::move(pipe)),
        side_(side),
        ours_(pipe_->sides_[side]),
        theirs_(pipe_->sides_[1 - side]) {
    ours_.end = this;
    // Cannot fail without a descriptor.
    Register().IgnoreError();
  }
  ~End() override {
    ours_.end = nullptr;
    {
      std::lock_guard lock(pipe_->mutex_);
      ours_.gone = true;
    }
    Pipe::Wake(pipe_, 1 - side_);
  }
  using Stream::Wake;

 private:
  int64_t Receive(char* data, size_t size) override {
    bool had_enough = false;
    {
      std::lock_guard lock(pipe_->mutex_);
      const size_t unread = theirs_.written.size() - theirs_.read_at;
      if (unread == 0) {
        if (theirs_.ended) return 0;
        return theirs_.gone ? -ECONNRESET : kWait;
      }
      had_enough = unread > kMaxUnread;
      size = std::min(size, unread);
      std::memcpy(data, theirs_.written.data() + theirs_.read_at, size);
      theirs_.read_at += size;
      if (theirs_.read_at == theirs_.written.size()) {
        std::string().swap(theirs_.written);
        theirs_.read_at = 0;
      }
    }
    if (had_enough) Pipe::Wake(pipe_, 1 - side_);
    return static_cast<int64_t>(size);
  }

  int Encode(std::string_view data) override {
    std::lock_guard lock(pipe_->mutex_);
    if (theirs_.gone) return EPIPE;
    ours_.written.erase(0, std::exchange(ours_.read_at, 0));
    ours_.written.append(data);
    return 0;
  }

  int EncodeEnd() override {
    std::lock_guard lock(pipe_->mutex_);
    ours_.ended = true;
    return 0;
  }

  void Flush() override { Pipe::Wake(pipe_, 1 - side_); }

  bool AllSent() const override {
    std::lock_guard lock(pipe_->mutex_);
    return theirs_.gone || ours_.written.size() - ours_.read_at <= kMaxUnread;
  }

  const std::shared_ptr<Pipe> pipe_;
  const int side_;
  Side& ours_;
  Side& theirs_;
};

std::unique_ptr<Stream> Pipe::NewEnd(std::shared_ptr<Pipe> pipe,
                                     EventLoop& loop) {
  const int side = pipe->sides_[0].loop == &loop ? 0 : 1;
  return std::make_unique<End>(loop, std::move(pipe), side);
}

void Pipe::Wake(const std::shared_ptr<Pipe>& pipe, int side) {
  pipe->sides_[side].loop->Post([pipe, side] {
    if (End* end = pipe->sides_[side].end) end->Wake();
  });
}

}  // namespace carme::net
