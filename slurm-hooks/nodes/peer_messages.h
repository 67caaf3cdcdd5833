// How orders and events of peer.proto travel over srun's standard streams.
#ifndef CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_
#define CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "carme/node/v1/peer.pb.h"

namespace carme::node {

std::string FrameOf(const v1::PeerOrder& order);

// Takes the first whole order off `bytes`; nothing when it is not there yet.
// INVALID_ARGUMENT: no order, or one that is too long.
absl::StatusOr<std::optional<v1::PeerOrder>> TakeOrder(std::string* bytes);

// With the newline at its end.
std::string LineOf(const v1::PeerEvent& event);

// Takes the first whole line off `text`; nothing when there is none. What is no
// event, such as a word of srun's own, is passed over. INVALID_ARGUMENT: a line
// that is too long.
absl::StatusOr<std::optional<v1::PeerEvent>> TakeEvent(std::string* text);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_PEER_MESSAGES_H_
