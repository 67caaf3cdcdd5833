#include "common/net/stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace carme::net {
namespace {

// Beyond this the peer causes responses (TLS key updates) and never reads.
constexpr size_t kMaxPending = 1024 * 1024;

}  // namespace

Stream::Stream(EventLoop& loop, UniqueFd fd)
    : Timer(loop.timers()), loop_(loop), fd_(std::move(fd)) {}

Stream::~Stream() { loop_.Remove(fd_.get(), this); }

UniqueFd Stream::Release() {
  loop_.Remove(fd_.get(), this);
  return std::move(fd_);
}

absl::Status Stream::Register() {
  return loop_.Add(fd_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, this);
}

int64_t Stream::ReceiveRaw(char* data, size_t size) {
  if (!readable_) return kWait;
  ssize_t got = recv(fd_.get(), data, size, 0);
  if (got < 0) {
    if (errno == EINTR) return ReceiveRaw(data, size);
    if (errno == EAGAIN) readable_ = false;
    return -errno;
  }
  // A short read has emptied the socket, so the next byte makes an edge
  // (epoll(7), question 9). But an end that was already reported must still be
  // read and is not reported again.
  if (got == 0) ended_ = true;
  if (static_cast<size_t>(got) < size && !ended_) readable_ = false;
  return got;
}

void Stream::SendPending() {
  while (writable_ && pending_sent_ < pending_.size() && write_failed_ == 0) {
    ssize_t sent = send(fd_.get(), pending_.data() + pending_sent_,
                        pending_.size() - pending_sent_, MSG_NOSIGNAL);
    if (sent >= 0) {
      pending_sent_ += static_cast<size_t>(sent);
    } else if (errno == EAGAIN) {
      writable_ = false;
    } else if (errno != EINTR) {
      write_failed_ = errno;
    }
  }
  if (write_failed_ != 0 || pending_sent_ == pending_.size()) {
    std::string().swap(pending_);
    pending_sent_ = 0;
  }
}

void Stream::Flush() {
  std::string& wire = loop_.wire();
  size_t sent_bytes = 0;
  if (pending_.empty() && writable_ && write_failed_ == 0 && !wire.empty()) {
    // The last bytes wait for the end that follows: one packet, not two.
    const int more = finishing_ ? MSG_MORE : 0;
    ssize_t sent =
        send(fd_.get(), wire.data(), wire.size(), MSG_NOSIGNAL | more);
    if (sent >= 0) {
      sent_bytes = static_cast<size_t>(sent);
      if (sent_bytes < wire.size()) writable_ = false;
    } else if (errno == EAGAIN) {
      writable_ = false;
    } else if (errno != EINTR) {
      write_failed_ = errno;
    }
  }
  if (write_failed_ == 0) pending_.append(wire, sent_bytes);
  wire.clear();
  if (!pending_.empty()) SendPending();
  if (pending_.size() > kMaxPending) write_failed_ = ENOBUFS;
  if (finishing_ && !finished_ && pending_.empty()) {
    finished_ = true;
    shutdown(fd_.get(), SHUT_WR);
  }
}

void Stream::Keep() {
  pending_.append(loop_.wire());
  loop_.wire().clear();
}

Stream::WriteOperation Stream::Write(std::string_view data) {
  if (failed_ == 0 && write_failed_ == 0) {
    int error = finishing_ ? EPIPE : Encode(data);
    if (error != 0) write_failed_ = error;
    Flush();
  }
  return WriteOperation{*this, {data.size(), 0}, {}};
}

Stream::WriteOperation Stream::Finish() {
  if (failed_ == 0 && write_failed_ == 0 && !finishing_) {
    int error = EncodeEnd();
    if (error != 0) write_failed_ = error;
    finishing_ = true;
    Flush();
  }
  return Drained();
}

bool Stream::StepRead(ReadOperation* operation) {
  int64_t got;
  if (failed_ != 0) {
    got = -failed_;
  } else if (operation->data == nullptr) {
    got = readable_ ? 0 : kWait;
  } else {
    got = Receive(operation->data, operation->size);
  }
  if (got == kWait) return false;
  operation->result.bytes = got > 0 ? static_cast<size_t>(got) : 0;
  operation->result.error = got < 0 ? static_cast<int>(-got) : 0;
  return true;
}

bool Stream::StepDrain(WriteOperation* operation) {
  int error = failed_ != 0 ? failed_ : write_failed_;
  if (error == 0 && !AllSent()) return false;
  operation->result.error = error;
  return true;
}

void Stream::OnEvents(uint32_t events) {
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) ended_ = true;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    readable_ = true;
  }
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0 && !writable_) {
    writable_ = true;
    if (!pending_.empty()) Flush();
  }
  if (ended_ && watcher_ != nullptr && reader_ == nullptr &&
      (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    watcher_->OnUnreadEnd();
  }
  Wake();
}

void Stream::WatchEnd(EndWatcher* watcher) {
  watcher_ = watcher;
  if (watcher != nullptr && ended_) watcher->OnUnreadEnd();
}

void Stream::Wake() {
  std::coroutine_handle<> writer;
  if (writer_ != nullptr && StepDrain(writer_)) {
    writer = std::exchange(writer_, nullptr)->waiter;
  }
  // Each resumed coroutine may destroy this stream, so the reader's step must
  // be the last use of it, and the writer waits for the ready queue if both
  // are ready.
  if (reader_ != nullptr && StepRead(reader_)) {
    if (writer) loop_.Schedule(writer);
    std::exchange(reader_, nullptr)->waiter.resume();
    return;
  }
  if (writer) writer.resume();
}

void Stream::FailWaiting(int error) {
  if (reader_ != nullptr) {
    reader_->result = {0, error};
    loop_.Schedule(std::exchange(reader_, nullptr)->waiter);
  }
  if (writer_ != nullptr) {
    writer_->result.error = error;
    loop_.Schedule(std::exchange(writer_, nullptr)->waiter);
  }
}

void Stream::Cancel(int error) {
  if (failed_ == 0) failed_ = error;
  FailWaiting(failed_);
}

void Stream::OnDeadline() { FailWaiting(ETIMEDOUT); }

bool Stream::IsQuiet() {
  char byte;
  return failed_ == 0 && write_failed_ == 0 && Receive(&byte, 1) == kWait;
}

}  // namespace carme::net
