// Packets between the coordinator and a worker. Each has an authentication code
// (HMAC-SHA-256) by a key that only these two know, over its position in the
// connection too, so that it is neither forged, repeated nor left out.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_CHANNEL_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_CHANNEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/vet.pb.h"
#include "common/unique_fd.h"

namespace carme::vet {

inline constexpr size_t kMaxPacketBytes = 1 << 20;

std::string Hmac(std::string_view key, std::string_view text);  // 32 raw bytes

class Channel {
 public:
  enum class Side { kCoordinator, kWorker };

  // `fd` is a connected socket; it becomes non-blocking. `received`: bytes that
  // were read from it already.
  Channel(UniqueFd fd, Side side, std::string_view key,
          std::string received = "");

  int fd() const { return fd_.get(); }
  bool has_received() const { return !received_.empty(); }

  // Blocks until the kernel has all of it, for at most `timeout`. UNAVAILABLE,
  // DEADLINE_EXCEEDED.
  absl::Status Send(const node::v1::VetPacket& packet,
                    absl::Duration timeout = absl::Seconds(10));
  // Reads what has arrived. UNAVAILABLE: the other side has closed; packets
  // before that can still be taken.
  absl::Status Receive();
  // The next whole packet; nullopt: more must arrive. PERMISSION_DENIED,
  // INVALID_ARGUMENT: close the connection.
  absl::StatusOr<std::optional<node::v1::VetPacket>> Take();
  // Blocks for the next packet. DEADLINE_EXCEEDED and the errors above.
  absl::StatusOr<node::v1::VetPacket> Await(absl::Duration timeout);

 private:
  UniqueFd fd_;
  std::string send_key_;
  std::string receive_key_;
  uint64_t sent_ = 0;
  uint64_t taken_ = 0;
  std::string received_;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_CHANNEL_H_
