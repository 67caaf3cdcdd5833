// Frames over a stream socket, within a time: both ends of the impersonator's
// socket use this. The format stands in privileged.proto.
#ifndef CARME_BACKEND_PRIVILEGED_FRAME_IO_H_
#define CARME_BACKEND_PRIVILEGED_FRAME_IO_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

inline constexpr size_t kMostFrameBytes = 64 * 1024;     // of a body
inline constexpr size_t kMostResponseBytes = 72 * 1024;  // with 64 KiB of log
inline constexpr size_t kFrameHeaderBytes = 4;

// Storage is asked for on a socket of its own, whose name is that of the other
// and this.
inline constexpr char kStorageSocketSuffix[] = ".storage";

// The length that a frame's header announces, big-endian.
// INVALID_ARGUMENT: 0, or more than `most`.
absl::StatusOr<size_t> FrameLength(std::string_view header,
                                   size_t most = kMostFrameBytes);
// Header and body. REQUIRES: a body of 1 to kMostResponseBytes.
std::string EncodeFrame(std::string_view body);

// The body of one frame. Blocks until `deadline`.
// CANCELLED: the peer closed before the first byte. INVALID_ARGUMENT: a frame
// too long, or cut short. DEADLINE_EXCEEDED: the frame came too slowly.
absl::StatusOr<std::string> ReadFrame(int fd, absl::Time deadline,
                                      size_t most = kMostFrameBytes);

// Never blocks: a frame of ours is smaller than a new socket's buffer.
// UNAVAILABLE: the peer is gone, or does not read.
absl::Status WriteFrame(int fd, std::string_view body);

// Nobody is left to answer.
bool HasHungUp(int fd);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_FRAME_IO_H_
