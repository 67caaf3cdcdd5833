#include "backend/privileged/protocol/frame_io.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "absl/time/clock.h"
#include "backend/privileged/protocol/messages.h"
#include "common/status.h"

namespace carme {
namespace {

absl::Status WaitUntilReadable(int fd, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      return MakePlainError(privileged_protocol_messages::kFrameLate);
    }
    pollfd ready{fd, POLLIN, 0};
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    if (poll(&ready, 1, static_cast<int>(wait_ms)) > 0) {
      return absl::OkStatus();
    }
  }
}

// Appends until `bytes` has `length` bytes. CANCELLED: the peer closed.
absl::Status ReadTo(int fd, size_t length, absl::Time deadline,
                    std::string* bytes) {
  char buffer[4096];
  while (bytes->size() < length) {
    RETURN_IF_ERROR(WaitUntilReadable(fd, deadline));
    const size_t want = std::min(sizeof buffer, length - bytes->size());
    const ssize_t got = recv(fd, buffer, want, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return ErrnoError(errno, "recv");
    if (got == 0) return absl::CancelledError("the peer closed the connection");
    bytes->append(buffer, static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<size_t> FrameLength(std::string_view header, size_t max_bytes) {
  size_t length = 0;
  for (const char c : header.substr(0, kFrameHeaderBytes)) {
    length = (length << 8) | static_cast<unsigned char>(c);
  }
  if (header.size() >= kFrameHeaderBytes && length >= 1 &&
      length <= max_bytes) {
    return length;
  }
  return MakePlainError(privileged_protocol_messages::kFrameLength,
                        {{"length", length}, {"max", max_bytes}});
}

std::string EncodeFrame(std::string_view body) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(body.size() >> shift));
  }
  return frame.append(body);
}

absl::StatusOr<std::string> ReadFrame(int fd, absl::Time deadline,
                                      size_t max_bytes) {
  std::string bytes;
  absl::Status read = ReadTo(fd, kFrameHeaderBytes, deadline, &bytes);
  size_t length = 0;
  if (read.ok()) {
    ASSIGN_OR_RETURN(length, FrameLength(bytes, max_bytes));
    read = ReadTo(fd, kFrameHeaderBytes + length, deadline, &bytes);
  }
  if (absl::IsCancelled(read) && !bytes.empty()) {
    return MakePlainError(privileged_protocol_messages::kFrameTruncated,
                          {{"bytes", bytes.size()}});
  }
  RETURN_IF_ERROR(read);
  return bytes.substr(kFrameHeaderBytes);
}

absl::Status WriteFrame(int fd, std::string_view body) {
  const std::string frame = EncodeFrame(body);
  const ssize_t sent =
      send(fd, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(frame.size())) return absl::OkStatus();
  return MakePlainError(privileged_protocol_messages::kPeerDoesNotRead);
}

bool HasHungUp(int fd) {
  pollfd state{fd, POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0 &&
         (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace carme
