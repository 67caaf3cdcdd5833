// Blocking TCP with time-outs.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_TCP_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_TCP_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::vet {

// A connected, non-blocking socket. UNAVAILABLE, DEADLINE_EXCEEDED.
absl::StatusOr<UniqueFd> ConnectTcp(const std::string& host, int port,
                                    absl::Time deadline);
// UNAVAILABLE, DEADLINE_EXCEEDED.
absl::Status SendAll(int fd, std::string_view bytes, absl::Time deadline);
// Exactly `size` bytes. UNAVAILABLE, DEADLINE_EXCEEDED.
absl::StatusOr<std::string> ReceiveExactly(int fd, size_t size,
                                           absl::Time deadline);
// The numeric address of this or the other side; empty for a unix socket.
std::string LocalAddress(int fd);
std::string PeerAddress(int fd);

// Listens on all addresses of this node; port 0: any. The socket is
// non-blocking.
absl::StatusOr<UniqueFd> ListenEverywhere(int port);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_TCP_H_
