#include "slurm-hooks/agent/output_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::agent {
namespace {

constexpr int kLookMs = 50;
// After the program's end: a reader that does not read, and what others write.
constexpr int kMostLooks = 100;
constexpr int64_t kMostAfterwards = 1 << 20;

}  // namespace

OutputCopy::OutputCopy(net::EventLoop& loop, OutputFile file, int log,
                       OnDone on_done)
    : loop_(loop),
      file_(std::move(file)),
      log_(log),
      on_done_(std::move(on_done)) {}

absl::StatusOr<std::unique_ptr<OutputCopy>> OutputCopy::Start(
    net::EventLoop& loop, OutputFile file, int log, OnDone on_done) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "make a pipe");
  std::unique_ptr<OutputCopy> copy(
      new OutputCopy(loop, std::move(file), log, std::move(on_done)));
  copy->source_ = UniqueFd(ends[0]);
  copy->input_ = UniqueFd(ends[1]);
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
    return ErrnoError(errno, "read from a pipe without waiting");
  }
  copy->thread_ = std::thread([self = copy.get()] { self->Copy(); });
  return copy;
}

OutputCopy::~OutputCopy() {
  finishing_ = true;
  input_.reset();
  if (thread_.joinable()) thread_.join();
}

// 0, or the error. While the program runs a FIFO's reader is waited for.
int OutputCopy::WriteAll(int fd, std::string_view bytes) {
  int looks = 0;
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put > 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {
      if (finishing_ && ++looks > kMostLooks) return ETIMEDOUT;
      pollfd ready = {.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, kLookMs);
    } else if (put == 0 || errno != EINTR) {
      return put == 0 ? EIO : errno;
    }
  }
  return 0;
}

void OutputCopy::Copy() {
  char buffer[64 * 1024];
  int64_t afterwards = 0;
  while (afterwards <= kMostAfterwards) {
    // Asked before the look: what was written before the end is seen in it.
    const bool last = finishing_;
    const ssize_t got = read(source_.get(), buffer, sizeof buffer);
    if (got > 0) {
      Put(buffer, static_cast<size_t>(got));
      if (last) afterwards += got;
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN || last) break;
    pollfd ready = {.fd = source_.get(), .events = POLLIN, .revents = 0};
    poll(&ready, 1, kLookMs);
  }
  // Some file systems say it only now.
  if (file_.fd.valid() && close(file_.fd.release()) != 0 && errno != EINTR &&
      first_error_.ok()) {
    first_error_ =
        ErrnoError(errno, absl::StrCat("write to \"", file_.path, "\""));
  }
  loop_.Post([done = on_done_, error = first_error_] { done(error); });
}

void OutputCopy::Put(const char* bytes, size_t size) {
  if (file_.fd.valid()) {
    const int error = WriteAll(file_.fd.get(), {bytes, size});
    if (error != 0) {
      first_error_ =
          ErrnoError(error, absl::StrCat("write to \"", file_.path, "\""));
      file_.fd.reset();
    }
  }
  const int64_t room = std::max<int64_t>(0, kMostInLog - logged_);
  if (room == 0) return;
  const size_t part = std::min(size, static_cast<size_t>(room));
  logged_ += static_cast<int64_t>(part);
  if (WriteAll(log_, {bytes, part}) != 0) logged_ = kMostInLog;
  if (logged_ < kMostInLog) return;
  WriteAll(log_, "\n[the rest is in the output file alone]\n");
}

}  // namespace carme::agent
