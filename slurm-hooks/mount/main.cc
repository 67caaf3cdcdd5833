// carme-env-mount UID GID [SCRIPT]: makes the environment of one step on this
// node. Started as root by the SPANK plugin, with an empty environment, the
// job's groups and on descriptor 0 a socket: it reads a rendered EDF up to its
// end and answers
//   "N" with the descriptors of a mount namespace and of one of IPC, then
//       fields that end with a zero byte: the working directory, processes that
//       have to end with the step, a directory to add to LD_LIBRARY_PATH, and
//       variables as NAME=VALUE, or NAME where one is to be unset; or
//   "E" and why not.
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/file.h"
#include "common/status.h"
#include "slurm-hooks/mount/images/user_images.h"
#include "slurm-hooks/mount/messages.h"
#include "slurm-hooks/mount/plan/mount_config.h"
#include "slurm-hooks/mount/plan/plan.h"
#include "slurm-hooks/mount/plan/plan_sender.h"
#include "slurm-hooks/mount/root/enter_new_root.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::mount {
namespace {

constexpr int kCaller = 0;
constexpr size_t kMaxTextBytes = 64 << 10;
// Time limits for opening the user's files, and in total; file systems of the
// user may hang. The plugin waits a little longer.
constexpr int kOpenSeconds = 40;
constexpr int kSeconds = 55;

struct Order {
  User user;
  std::string script;
  std::string text;
};

absl::Status Prepare() {
  // Slurm protects its own daemons from the OOM killer; this program must not
  // be protected.
  const UniqueFd oom(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (oom.valid() && write(oom.get(), "0", 1) != 1) {
    return ErrnoError(errno, "set its oom score");
  }
  umask(022);
  if (geteuid() != 0 || getuid() != 0) {
    return MakePlainError(mount_messages::kRootExpected);
  }
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || chdir("/") != 0 ||
      close_range(3, ~0U, 0) != 0) {
    return ErrnoError(errno, "prepare");
  }
  return absl::OkStatus();
}

absl::StatusOr<Order> ReadOrder(int count, char** arguments) {
  Order order;
  if (count < 3 || count > 4 ||
      !absl::SimpleAtoi(arguments[1], &order.user.uid) ||
      !absl::SimpleAtoi(arguments[2], &order.user.gid)) {
    return MakePlainError(mount_messages::kUsage);
  }
  if (order.user.uid == 0) {
    return MakePlainError(mount_messages::kNotForRoot);
  }
  if (count == 4) order.script = arguments[3];
  char buffer[16384];
  ssize_t got = 0;
  while ((got = read(kCaller, buffer, sizeof buffer)) > 0) {
    order.text.append(buffer, static_cast<size_t>(got));
    if (order.text.size() > kMaxTextBytes) {
      return MakePlainError(mount_messages::kTextTooLong);
    }
  }
  if (got < 0) return ErrnoError(errno, "read the environment");
  return order;
}

// Runs in a child, which becomes the user first.
[[noreturn]] void Open(const Order& order, const MountConfig& config,
                       int socket) {
  if (!BecomeUser(order.user).ok()) _exit(1);
  close(kCaller);
  _exit(SendPlan(order.text, config, socket).ok() ? 0 : 1);
}

absl::StatusOr<MountPlan> ReceivePlan(int socket, const Deadline& deadline) {
  MountPlan plan;
  while (!plan.whole) {
    absl::StatusOr<std::optional<node::Packet>> packet =
        ReceivePacketBefore(socket, deadline);
    if (absl::IsDeadlineExceeded(packet.status())) {
      return MakePlainError(mount_messages::kFilesLate,
                            {{"seconds", kOpenSeconds}});
    }
    RETURN_IF_ERROR(packet.status());
    if (!*packet) return absl::InternalError("its files could not be opened");
    RETURN_IF_ERROR(AddToPlan(std::move(**packet), &plan));
  }
  return plan;
}

absl::StatusOr<MountPlan> Plan(const Order& order, const MountConfig& config) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "make a socket");
  }
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const pid_t child = fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) Open(order, config, to.get());
  to.reset();
  absl::StatusOr<MountPlan> plan =
      ReceivePlan(from.get(), Deadline(kOpenSeconds));
  // It may hang in the kernel; init reaps it.
  kill(child, SIGKILL);
  return plan;
}

absl::StatusOr<UniqueFd> Namespace(const char* kind) {
  const std::string path = absl::StrCat("/proc/self/ns/", kind);
  UniqueFd found(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!found.valid()) return ErrnoError(errno, absl::StrCat("open ", path));
  return found;
}

// Runs in a child: only a child may access files of the user, which can hang.
absl::StatusOr<std::string> Build(const Order& order, const MountConfig& config,
                                  const MountPlan& plan,
                                  const Deadline& deadline) {
  close(kCaller);
  ASSIGN_OR_RETURN(
      const ImageFacts facts,
      EnterNewRoot(plan, config, order.user, order.script, deadline));
  std::string fields = facts.workdir;
  fields.push_back('\0');
  for (const std::string& variable : facts.variables) {
    absl::StrAppend(&fields, variable);
    fields.push_back('\0');
  }
  return fields;
}

// `image`: what Build returned.
std::string Answer(const MountPlan& plan, const std::vector<pid_t>& servers,
                   const std::string& image) {
  const size_t variables = image.find('\0') + 1;
  std::string answer =
      absl::StrCat("N", plan.workdir.empty() ? image.substr(0, variables - 1)
                                             : plan.workdir);
  answer.push_back('\0');
  absl::StrAppend(&answer, absl::StrJoin(servers, " "));
  answer.push_back('\0');
  if (plan.has_nvidia_driver) answer.append(kNvidiaLibraries);
  answer.push_back('\0');
  absl::StrAppend(&answer, image.substr(variables));
  for (const std::string& variable : plan.variables) {
    absl::StrAppend(&answer, variable);
    answer.push_back('\0');
  }
  return answer;
}

absl::Status SendAll(const std::string& answer,
                     const std::vector<int>& descriptors) {
  absl::Status status =
      node::SendPacket(kCaller, answer.substr(0, 1), descriptors);
  for (size_t sent = 1; status.ok() && sent < answer.size();) {
    const ssize_t put =
        send(kCaller, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) status = ErrnoError(errno, "answer");
    if (put > 0) sent += static_cast<size_t>(put);
  }
  return status;
}

absl::Status Run(int count, char** arguments) {
  RETURN_IF_ERROR(Prepare());
  ASSIGN_OR_RETURN(const Order order, ReadOrder(count, arguments));
  ASSIGN_OR_RETURN(const MountConfig config,
                   LoadMountConfig(std::string(kMountConfigPath)));
  const Deadline deadline(kSeconds);
  ASSIGN_OR_RETURN(const UniqueFd home, Namespace("mnt"));
  RETURN_IF_ERROR(LeaveNode());
  ASSIGN_OR_RETURN(MountPlan plan, Plan(order, config));
  UserImages images(config, home.get(), order.user, deadline);
  RETURN_IF_ERROR(images.Serve(&plan));
  ASSIGN_OR_RETURN(const UniqueFd mounts, Namespace("mnt"));
  ASSIGN_OR_RETURN(const UniqueFd ipc, Namespace("ipc"));
  const absl::StatusOr<std::string> image = RunInChild(
      deadline,
      FormatMessage(mount_messages::kEnvironmentLate, {{"seconds", kSeconds}}),
      [&] { return Build(order, config, plan, deadline); });
  if (!image.ok()) {
    images.End();
    return image.status();
  }
  return SendAll(Answer(plan, images.servers(), *image),
                 {mounts.get(), ipc.get()});
}

}  // namespace
}  // namespace carme::mount

int main(int count, char** arguments) {
  const absl::Status status = carme::mount::Run(count, arguments);
  if (status.ok()) return 0;
  const std::string refusal = absl::StrCat("E", status.message());
  return carme::mount::SendAll(refusal, {}).ok() ? 0 : 1;
}
