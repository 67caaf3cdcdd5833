#include "frontend/http/request_reader.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace carme::frontend {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

int MillisecondsUntil(absl::Time deadline) {
  const int64_t left = absl::ToInt64Milliseconds(
      absl::Ceil(deadline - absl::Now(), absl::Milliseconds(1)));
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

}  // namespace

RequestReader::Wait RequestReader::WaitForBytes(absl::Time deadline,
                                                bool stoppable) {
  std::array<pollfd, 2> polled = {
      {{.fd = socket_, .events = POLLIN, .revents = 0},
       {.fd = stop_, .events = POLLIN, .revents = 0}}};
  while (true) {
    const int ready =
        poll(polled.data(), stoppable ? 2 : 1, MillisecondsUntil(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Wait::kClosed;
    if (ready == 0) return Wait::kTimeout;
    // A request that has arrived is served, even while the server stops.
    return polled[0].revents != 0 ? Wait::kBytes : Wait::kStopped;
  }
}

RequestReader::Wait RequestReader::Fill(absl::Time deadline, bool stoppable) {
  std::array<char, 8192> bytes;
  while (true) {
    const Wait wait = WaitForBytes(deadline, stoppable);
    if (wait != Wait::kBytes) return wait;
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      buffer_.append(bytes.data(), static_cast<size_t>(got));
      return Wait::kBytes;
    }
    if (got == 0) return Wait::kClosed;
    if (errno != EINTR && errno != EAGAIN) return Wait::kClosed;
  }
}

ReadResult RequestReader::Next() {
  if (buffer_.empty()) {
    const absl::Duration silent = served_one_ ? limits_.idle : limits_.first;
    if (Fill(absl::Now() + silent, true) != Wait::kBytes) {
      return ReadResult::kClosed;
    }
  }
  served_one_ = true;
  const ReadResult head = ReadHead();
  return head == ReadResult::kRequest ? ReadBody() : head;
}

ReadResult RequestReader::ReadHead() {
  const absl::Time deadline = absl::Now() + limits_.head;
  while (true) {
    const ScanResult scan = ScanRequestHead(buffer_, &head_);
    if (scan.state == ScanState::kRefused) {
      return Refuse(scan.status, scan.error);
    }
    if (scan.state == ScanState::kDone) {
      buffer_.erase(0, scan.head_bytes);
      return ReadResult::kRequest;
    }
    const Wait wait = Fill(deadline, false);
    if (wait == Wait::kTimeout) return Refuse(408, "the request took too long");
    if (wait != Wait::kBytes) return ReadResult::kClosed;
  }
}

ReadResult RequestReader::ReadBody() {
  if (head_.content_length > limits_.body_bytes) {
    return Refuse(
        413, absl::StrCat("body of ", head_.content_length,
                          " bytes: expected at most ", limits_.body_bytes));
  }
  const auto length = static_cast<size_t>(head_.content_length);
  // Best effort: a client without this response sends its body after a while.
  if (head_.expects_continue && buffer_.size() < length) {
    [[maybe_unused]] const ssize_t put =
        send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  }
  const absl::Time deadline = absl::Now() + limits_.body;
  while (buffer_.size() < length) {
    const Wait wait = Fill(deadline, false);
    if (wait == Wait::kTimeout) return Refuse(408, "the body took too long");
    if (wait != Wait::kBytes) return ReadResult::kClosed;
  }
  head_.request.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return ReadResult::kRequest;
}

ReadResult RequestReader::Refuse(int status, std::string message) {
  error_ = {status, std::move(message)};
  return ReadResult::kRefused;
}

}  // namespace carme::frontend
