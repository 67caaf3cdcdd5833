#include "slurm-hooks/spank/running_environment.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/unique_fd.h"

namespace carme {
namespace {

MadeEnvironment RunningRefusal(std::string text) {
  MadeEnvironment none;
  none.refusal = std::move(text);
  return none;
}

std::string RunningCause(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

// Reads digits with an optional newline; else empty.
std::string ReadNumber(int fd) {
  char text[16];
  ssize_t got = 0;
  do {
    got = read(fd, text, sizeof text);
  } while (got < 0 && errno == EINTR);
  std::string number(text, got > 0 ? static_cast<size_t>(got) : 0);
  if (!number.empty() && number.back() == '\n') number.pop_back();
  const bool good = !number.empty() && number.size() < sizeof text - 1 &&
                    number.find_first_not_of("0123456789") == std::string::npos;
  return good ? number : std::string();
}

// Returns whether a namespace belongs to the same user namespace as this
// process.
bool IsRootsOwn(int space) {
  const UniqueFd owner(ioctl(space, NS_GET_USERNS));
  struct stat its {};
  struct stat ours {};
  return owner.valid() && fstat(owner.get(), &its) == 0 &&
         stat("/proc/self/ns/user", &ours) == 0 && its.st_dev == ours.st_dev &&
         its.st_ino == ours.st_ino;
}

}  // namespace

MadeEnvironment FindEnvironment(const std::string& file) {
  // anything else than a file of the user must not block the step
  const UniqueFd fd(
      open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) {
    return RunningRefusal(
        RunningCause("the job's environment on this node cannot be found"));
  }
  const std::string pid = ReadNumber(fd.get());
  if (pid.empty()) {
    return RunningRefusal("\"" + file + "\" has no process id: expected one");
  }
  MadeEnvironment found;
  const std::string spaces = "/proc/" + pid + "/ns/";
  found.mounts.reset(open((spaces + "mnt").c_str(), O_RDONLY | O_CLOEXEC));
  found.ipc.reset(open((spaces + "ipc").c_str(), O_RDONLY | O_CLOEXEC));
  if (!found.mounts.valid() || !found.ipc.valid()) {
    return RunningRefusal(
        RunningCause("cannot open the environment of process " + pid));
  }
  if (!IsRootsOwn(found.mounts.get()) || !IsRootsOwn(found.ipc.get())) {
    return RunningRefusal("process " + pid +
                          " is in mounts of a user namespace: expected an "
                          "environment of this node");
  }
  return found;
}

}  // namespace carme
