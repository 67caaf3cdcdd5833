// Unix sockets with message boundaries that also pass descriptors.
//
// Functions block if the descriptor is blocking.
#ifndef CARME_SLURM_HOOKS_PROCESS_PACKET_SOCKET_H_
#define CARME_SLURM_HOOKS_PROCESS_PACKET_SOCKET_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme::node {

inline constexpr size_t kMaxPacketBytes = 128 * 1024;
inline constexpr size_t kMaxDescriptors = 8;

struct Packet {
  std::string bytes;
  std::vector<UniqueFd> descriptors;  // closed on exec
};

// Opens a listening socket at `path` with mode 0600. ALREADY_EXISTS;
// INVALID_ARGUMENT: longer than the address of a unix socket.
absl::StatusOr<UniqueFd> ListenForPackets(const std::string& path);

absl::StatusOr<UniqueFd> ConnectForPackets(const std::string& path);

// OUT_OF_RANGE: more than kMaxPacketBytes; UNAVAILABLE: the other side is
// closed, or would block.
absl::Status SendPacket(int fd, std::string_view bytes,
                        const std::vector<int>& descriptors);

// Returns nullopt at the end of the connection. OUT_OF_RANGE: a packet longer
// than kMaxPacketBytes or with more than kMaxDescriptors; UNAVAILABLE: would
// block.
absl::StatusOr<std::optional<Packet>> ReceivePacket(int fd);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_PACKET_SOCKET_H_
