#include "slurm-hooks/mount/images/image_server.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/mount/images/fuse_server.h"
#include "slurm-hooks/mount/images/fuse_watchdog.h"
#include "slurm-hooks/mount/images/messages.h"
#include "slurm-hooks/mount/images/squashfs_image.h"
#include "slurm-hooks/mount/images/squashfs_tree.h"
#include "slurm-hooks/mount/system/mount_calls.h"
#include "slurm-hooks/mount/system/seccomp_filter.h"

namespace carme::mount {
namespace {

// The user nobody: an image that takes over its server does not even gain the
// rights of the job's user,
// and the user cannot stop the server and thereby block other processes.
constexpr User kNobody = {65534, 65534};
constexpr unsigned kMaxThreads = FuseWatchdog::kMaxReaders;
// Longer than any request on a valid image, and much shorter than
// UnkillableStepTimeout, after which Slurm drains the node.
constexpr int kMaxSecondsAnAnswer = 10;
constexpr rlim_t kMaxMemoryBytes = rlim_t{1} << 30;
constexpr size_t kStackBytes = 1 << 20;
constexpr int kMaxSignals = 64;

enum Own : int {
  kImage = 3,
  kFuse = 4,
  kCaller = 5,
  kHome = 6,
  kFirstOther = 7
};

// The descriptors of the server, at fixed numbers.
bool KeepDescriptors(std::initializer_list<int> wanted) {
  std::vector<int> high;
  for (const int fd : wanted) high.push_back(fcntl(fd, F_DUPFD, 16));
  const int none = open("/dev/null", O_RDWR);
  bool kept = none >= 0;
  for (const int fd : {0, 1, 2}) kept = kept && dup2(none, fd) == fd;
  int own = kImage;
  for (const int fd : high) kept = kept && fd >= 0 && dup2(fd, own++) >= 0;
  return kept && close_range(kFirstOther, ~0U, 0) == 0;
}

absl::Status Limit(__rlimit_resource what, rlim_t max) {
  const rlimit limit = {max, max};
  return setrlimit(what, &limit) == 0 ? absl::OkStatus()
                                      : ErrnoError(errno, "limit its reader");
}

// The server must not be in the environment, which would exist as long as the
// server. It has its own session, so that signals for the step, except SIGKILL,
// do not reach it: tasks that shut down still need their files.
absl::Status Isolate() {
  if (setns(kHome, CLONE_NEWNS) != 0 || close(kHome) != 0 || chdir("/") != 0 ||
      setsid() < 0) {
    return ErrnoError(errno, "leave the environment");
  }
  // one heap for all threads, which need little memory
  mallopt(M_ARENA_MAX, 1);
  for (int number = 1; number <= kMaxSignals; ++number) {
    signal(number, SIG_IGN);
  }
  RETURN_IF_ERROR(Limit(RLIMIT_CORE, 0));
  RETURN_IF_ERROR(Limit(RLIMIT_AS, kMaxMemoryBytes));
  // The kernel counts the servers of all users as processes of one uid. Without
  // this limit the servers of one user cannot prevent another's from starting
  // threads. If root may not raise it, the node's limit applies.
  Limit(RLIMIT_NPROC, RLIM_INFINITY).IgnoreError();
  if (setgroups(0, nullptr) != 0) return ErrnoError(errno, "leave its groups");
  RETURN_IF_ERROR(BecomeUser(kNobody));
  if (prctl(PR_SET_PDEATHSIG, 0) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
      prctl(PR_SET_NAME, "carme-image") != 0) {
    return ErrnoError(errno, "settle its reader");
  }
  return absl::OkStatus();
}

// Synchronisation of the reader threads. Created before the filter, which
// forbids new threads.
struct Readers {
  SquashfsExtent extent;
  std::mutex mutex;
  std::condition_variable begun;
  bool may_begin = false;
  FuseWatchdog watch;
};

// Arguments of one reader thread.
struct Reader {
  Readers* all = nullptr;
  FuseWatchdog::Turns* turns = nullptr;
};

void WaitForBegin(Readers* readers) {
  std::unique_lock<std::mutex> lock(readers->mutex);
  readers->begun.wait(lock, [&] { return readers->may_begin; });
}

FuseWatchdog::Turns* AddToWatch(pthread_t thread, FuseWatchdog* watch) {
  clockid_t clock = 0;
  pthread_getcpuclockid(thread, &clock);
  return watch->Add(clock);
}

void* Read(void* argument) {
  auto* const reader = static_cast<Reader*>(argument);
  WaitForBegin(reader->all);
  const auto tree = SquashfsTree::Open(kImage, reader->all->extent);
  if (tree.ok()) ServeFuse(kFuse, tree->get(), reader->turns);
  return nullptr;
}

// Closing it fails all waiting requests.
void* Watch(void* argument) {
  auto* const readers = static_cast<Readers*>(argument);
  WaitForBegin(readers);
  readers->watch.Watch(kMaxSecondsAnAnswer);
  _exit(1);
}

absl::Status StartThreads(Readers* readers) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 ||
      pthread_attr_setstacksize(&attributes, kStackBytes) != 0 ||
      pthread_create(&thread, &attributes, Watch, readers) != 0) {
    return MakePlainError(mount_image_messages::kNoThread);
  }
  const unsigned all =
      std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
  // fewer threads suffice: this thread reads, too
  for (unsigned i = 1; i < all; ++i) {
    auto* const reader = new Reader{readers, nullptr};
    if (pthread_create(&thread, &attributes, Read, reader) != 0) break;
    reader->turns = AddToWatch(thread, &readers->watch);
  }
  pthread_attr_destroy(&attributes);
  return absl::OkStatus();
}

// Uses write(2), because the filter forbids sendmsg(2).
void Report(const absl::Status& status) {
  const std::string text =
      status.ok() ? ComposeResult("") : ComposeResult(status);
  [[maybe_unused]] const ssize_t put = write(kCaller, text.data(), text.size());
  close(kCaller);
}

absl::StatusOr<std::unique_ptr<SquashfsTree>> OpenAlone(Readers* readers) {
  RETURN_IF_ERROR(Isolate());
  ASSIGN_OR_RETURN(readers->extent, FindSquashfs(kImage));
  RETURN_IF_ERROR(StartThreads(readers));
  RETURN_IF_ERROR(InstallReaderFilter());
  return SquashfsTree::Open(kImage, readers->extent);
}

[[noreturn]] void Serve() {
  // used by threads until the process ends
  auto* const readers = new Readers;
  const absl::StatusOr<std::unique_ptr<SquashfsTree>> tree = OpenAlone(readers);
  Report(tree.status());
  if (!tree.ok()) _exit(1);
  FuseWatchdog::Turns* const turns =
      AddToWatch(pthread_self(), &readers->watch);
  {
    const std::lock_guard<std::mutex> lock(readers->mutex);
    readers->may_begin = true;
  }
  readers->begun.notify_all();
  ServeFuse(kFuse, tree->get(), turns);
  _exit(0);
}

}  // namespace

absl::StatusOr<ServedImage> ServeImage(int image, int home, const User& user,
                                       const Deadline& deadline) {
  const UniqueFd fuse(open("/dev/fuse", O_RDWR | O_CLOEXEC));
  if (!fuse.valid()) return ErrnoError(errno, "open \"/dev/fuse\"");
  ServedImage served;
  ASSIGN_OR_RETURN(
      served.tree,
      NewFileSystem("fuse",
                    {{"source", "carme-image"},
                     {"fd", absl::StrCat(fuse.get())},
                     {"rootmode", "40000"},
                     {"user_id", absl::StrCat(user.uid)},
                     {"group_id", absl::StrCat(user.gid)},
                     {"default_permissions", ""}},
                    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "make a socket");
  }
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  served.server = fork();
  if (served.server < 0) return ErrnoError(errno, "fork");
  if (served.server == 0) {
    if (KeepDescriptors({image, fuse.get(), to.get(), home})) Serve();
    _exit(1);
  }
  to.reset();
  const absl::StatusOr<std::optional<node::Packet>> sent =
      ReceivePacketBefore(from.get(), deadline);
  const absl::StatusOr<std::string> result =
      sent.ok() ? ReadResult(*sent) : sent.status();
  if (result.ok()) return served;
  kill(served.server, SIGKILL);
  if (!absl::IsDeadlineExceeded(result.status())) return result.status();
  return MakePlainError(mount_image_messages::kImageLate);
}

}  // namespace carme::mount
