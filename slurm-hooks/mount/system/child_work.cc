#include "slurm-hooks/mount/system/child_work.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/mount/system/messages.h"

namespace carme::mount {
namespace {

constexpr char kResult = 'R';
constexpr char kError = 'E';
constexpr size_t kMaxErrorBytes = 4096;

int64_t NowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1000} + now.tv_nsec / 1000000;
}

}  // namespace

Deadline::Deadline(int seconds) : at_ms_(NowMs() + seconds * int64_t{1000}) {}

int Deadline::left_ms() const {
  return static_cast<int>(std::max<int64_t>(at_ms_ - NowMs(), 0));
}

absl::StatusOr<std::optional<node::Packet>> ReceivePacketBefore(
    int socket, const Deadline& deadline) {
  pollfd waited{socket, POLLIN, 0};
  int ready = -1;
  do {
    ready = poll(&waited, 1, deadline.left_ms());
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return ErrnoError(errno, "wait for a packet");
  if (ready == 0) return MakePlainError(mount_system_messages::kNoPacket);
  return node::ReceivePacket(socket);
}

std::string ComposeResult(const absl::StatusOr<std::string>& result) {
  std::string packet(1, result.ok() ? kResult : kError);
  if (result.ok()) return packet + *result;
  absl::StrAppend(&packet, result.status().message().substr(0, kMaxErrorBytes));
  return packet;
}

absl::StatusOr<std::string> ReadResult(
    const std::optional<node::Packet>& sent) {
  if (!sent || sent->bytes.empty()) {
    return absl::InternalError("the process that does it ended");
  }
  if (sent->bytes[0] == kResult) return sent->bytes.substr(1);
  return absl::FailedPreconditionError(sent->bytes.substr(1));
}

absl::StatusOr<std::string> RunInChild(
    const Deadline& deadline, const std::string& late,
    const std::function<absl::StatusOr<std::string>()>& act) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "make a socket");
  }
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const pid_t child = fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) {
    _exit(node::SendPacket(to.get(), ComposeResult(act()), {}).ok() ? 0 : 1);
  }
  to.reset();
  const absl::StatusOr<std::optional<node::Packet>> sent =
      ReceivePacketBefore(from.get(), deadline);
  if (absl::IsDeadlineExceeded(sent.status())) {
    kill(child, SIGKILL);
    return absl::DeadlineExceededError(late);
  }
  RETURN_IF_ERROR(sent.status());
  return ReadResult(*sent);
}

}  // namespace carme::mount
