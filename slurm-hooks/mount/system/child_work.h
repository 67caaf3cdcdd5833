// Runs work that may hang in a child process with a deadline.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::mount {

// A deadline on the monotonic clock.
class Deadline {
 public:
  explicit Deadline(int seconds);
  int left_ms() const;

 private:
  int64_t at_ms_;
};

// Receives a packet; nullopt at the end of the connection. DEADLINE_EXCEEDED.
absl::StatusOr<std::optional<node::Packet>> ReceivePacketBefore(
    int socket, const Deadline& deadline);

// Runs `act` in a child of a process without threads and returns its result,
// which must fit into a packet. After the deadline the child is killed but not
// reaped, because it may hang in the kernel: DEADLINE_EXCEEDED with `late`.
absl::StatusOr<std::string> RunInChild(
    const Deadline& deadline, const std::string& late,
    const std::function<absl::StatusOr<std::string>()>& act);

// Encodes a result or an error in one packet.
std::string ComposeResult(const absl::StatusOr<std::string>& result);
absl::StatusOr<std::string> ReadResult(const std::optional<node::Packet>& sent);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_
