// Work that may hang, in a child with a deadline.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::mount {

// By the clock that nobody sets.
class Deadline {
 public:
  explicit Deadline(int seconds);
  int left_ms() const;

 private:
  int64_t at_ms_;
};

// DEADLINE_EXCEEDED; nothing at the end of the connection.
absl::StatusOr<std::optional<node::Packet>> ReceivePacketBefore(
    int socket, const Deadline& deadline);

// Runs `act` in a child of a process without threads, and returns what it
// returns, in less than a packet. Past the deadline the child is killed and not
// waited for, for it may hang in the kernel: DEADLINE_EXCEEDED with `late`.
absl::StatusOr<std::string> RunInChild(
    const Deadline& deadline, const std::string& late,
    const std::function<absl::StatusOr<std::string>()>& act);

// What a child sends in one packet: a result, or an error.
std::string ComposeResult(const absl::StatusOr<std::string>& result);
absl::StatusOr<std::string> ReadResult(const std::optional<node::Packet>& sent);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_CHILD_WORK_H_
