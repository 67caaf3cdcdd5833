// Ends one process of the impersonator before its n-th system call that sends,
// changes the user or changes a file, counted from the connection on.
#include "tests/backend/privileged/dying_at_step.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace {

using carme::impersonator::StepsPage;

StepsPage* page = nullptr;
// Asked for when it is forked: a filter of system calls comes later.
pid_t own = 0;
pid_t parent = 0;

void Born() {
  own = getpid();
  parent = getppid();
}

void Step() {
  if (page == nullptr || page->target == StepsPage::kNone) return;
  const pid_t accepted = page->accepted;
  const bool counts = page->target == StepsPage::kRequest ? own == accepted
                                                          : parent == accepted;
  if (accepted == 0 || !counts || page->left.fetch_sub(1) != 1) return;
  page->struck = 1;
  _exit(9);
}

}  // namespace

// The call itself, instead of libc's.
#define AS_STEP(Result, name, parameters, arguments)                     \
  extern "C" Result name parameters {                                    \
    static Result(*const real) parameters =                              \
        reinterpret_cast<Result(*) parameters>(dlsym(RTLD_NEXT, #name)); \
    Step();                                                              \
    return real arguments;                                               \
  }

AS_STEP(ssize_t, read, (int fd, void* bytes, size_t count), (fd, bytes, count))
AS_STEP(ssize_t, write, (int fd, const void* bytes, size_t count),
        (fd, bytes, count))
AS_STEP(ssize_t, send, (int fd, const void* bytes, size_t count, int flags),
        (fd, bytes, count, flags))
AS_STEP(ssize_t, sendmsg, (int fd, const msghdr* message, int flags),
        (fd, message, flags))
AS_STEP(ssize_t, recv, (int fd, void* bytes, size_t count, int flags),
        (fd, bytes, count, flags))
AS_STEP(ssize_t, recvmsg, (int fd, msghdr* message, int flags),
        (fd, message, flags))
AS_STEP(int, poll, (pollfd * fds, nfds_t count, int timeout),
        (fds, count, timeout))
AS_STEP(int, connect, (int fd, const sockaddr* address, socklen_t length),
        (fd, address, length))
AS_STEP(int, mkdirat, (int fd, const char* path, mode_t mode), (fd, path, mode))
AS_STEP(int, setresuid, (uid_t real_id, uid_t effective, uid_t saved) noexcept,
        (real_id, effective, saved))

// The executor of this process is counted from now on, too.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* length,
                       int flags) {
  static auto* const real =
      reinterpret_cast<int (*)(int, sockaddr*, socklen_t*, int)>(
          dlsym(RTLD_NEXT, "accept4"));
  const int connection = real(fd, address, length, flags);
  if (connection >= 0 && page != nullptr) page->accepted = own;
  return connection;
}

__attribute__((constructor)) static void Begin() {
  const char* const path = getenv(carme::impersonator::kStepsFile);
  if (path == nullptr) return;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* const mapped = mmap(nullptr, sizeof(StepsPage), PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  page = static_cast<StepsPage*>(mapped);
  Born();
  pthread_atfork(nullptr, nullptr, Born);
}
