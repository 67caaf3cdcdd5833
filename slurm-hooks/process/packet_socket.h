// Unix sockets that keep packets apart and carry descriptors.
//
// Functions over descriptors; they block where the descriptor does.
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

inline constexpr size_t kLongestPacketBytes = 128 * 1024;
inline constexpr size_t kMaxDescriptors = 8;

struct Packet {
  std::string bytes;
  std::vector<UniqueFd> descriptors;  // closed on exec
};

// A listening socket at `path`, mode 0600. ALREADY_EXISTS; INVALID_ARGUMENT:
// longer than a unix socket's address.
absl::StatusOr<UniqueFd> ListenForPackets(const std::string& path);

absl::StatusOr<UniqueFd> ConnectForPackets(const std::string& path);

// OUT_OF_RANGE: more than kLongestPacketBytes; UNAVAILABLE: nobody listens any
// more, or, on a socket that does not block, the other side does not read.
absl::Status SendPacket(int fd, std::string_view bytes,
                        const std::vector<int>& descriptors);

// Nothing at the end of the connection. OUT_OF_RANGE: a packet longer than
// kLongestPacketBytes or with more than kMaxDescriptors; UNAVAILABLE: there is
// none now, on a socket that does not block.
absl::StatusOr<std::optional<Packet>> ReceivePacket(int fd);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_PACKET_SOCKET_H_
