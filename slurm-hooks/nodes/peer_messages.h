// Encodes and decodes the orders and events of peer.proto, which travel over
// the standard streams of srun.
#ifndef CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_
#define CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "carme/node/v1/peer.pb.h"

namespace carme::node {

std::string FrameOf(const v1::PeerOrder& order);

// Removes the first complete order from `bytes`; returns nullopt if it is
// incomplete. INVALID_ARGUMENT: malformed or too long.
absl::StatusOr<std::optional<v1::PeerOrder>> TakeOrder(std::string* bytes);

// Returns the event as one line with its newline.
std::string LineOf(const v1::PeerEvent& event);

// Removes the first complete line from `text`; returns nullopt if there is
// none. Lines that are not events, such as messages of srun, are skipped.
// INVALID_ARGUMENT: a line that is too long.
absl::StatusOr<std::optional<v1::PeerEvent>> TakeEvent(std::string* text);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_
