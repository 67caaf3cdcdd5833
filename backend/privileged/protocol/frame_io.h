// Frames on a stream socket, with deadlines. Both ends of the root programs'
// sockets use this. privileged.proto defines the format.
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_FRAME_IO_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_FRAME_IO_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

inline constexpr size_t kMaxFrameBytes = 64 * 1024;     // of a body
inline constexpr size_t kMaxResponseBytes = 72 * 1024;  // with 64 KiB of log
inline constexpr size_t kFrameHeaderBytes = 4;

// The body length in a frame's header (big-endian).
// INVALID_ARGUMENT: 0, or more than `max_bytes`.
absl::StatusOr<size_t> FrameLength(std::string_view header,
                                   size_t max_bytes = kMaxFrameBytes);
// Header and body. REQUIRES: a body of 1 to kMaxResponseBytes.
std::string EncodeFrame(std::string_view body);

// Returns the body of one frame. Blocks until `deadline`.
// CANCELLED: the peer closed before the first byte. INVALID_ARGUMENT: the frame
// is too long or truncated. DEADLINE_EXCEEDED: the frame is incomplete.
absl::StatusOr<std::string> ReadFrame(int fd, absl::Time deadline,
                                      size_t max_bytes = kMaxFrameBytes);

// Never blocks: a frame fits into the buffer of a new socket.
// UNAVAILABLE: the peer is gone or does not read.
absl::Status WriteFrame(int fd, std::string_view body);

// True if the peer has closed the connection.
bool HasHungUp(int fd);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_FRAME_IO_H_
