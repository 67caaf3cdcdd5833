#include "backend/privileged/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

// What the child says: kPermitted and kBegun at most once, then kAnswer, the
// length and the bytes. What its parent says: the length of an order and its
// bytes, then kGo, each at most once.
constexpr char kGo = 'g';
constexpr char kPermitted = 'p';
constexpr char kBegun = 'b';
constexpr char kAnswer = 'a';
using Length = uint32_t;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;  // the parent is gone, and with it who asked
    bytes.remove_prefix(static_cast<size_t>(put));
  }
}

// False: the other side is gone.
bool ReadAll(int fd, char* bytes, size_t length) {
  while (length > 0) {
    const ssize_t got = read(fd, bytes, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    length -= static_cast<size_t>(got);
  }
  return true;
}

std::string WithLength(std::string_view bytes) {
  const auto length = static_cast<Length>(bytes.size());
  std::string message(sizeof length, '\0');
  std::memcpy(message.data(), &length, sizeof length);
  return message.append(bytes);
}

// False: the deadline passed, and there is nothing yet.
bool WaitUntilReadable(int fd, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    pollfd ready{fd, POLLIN, 0};
    if (left <= absl::ZeroDuration()) return poll(&ready, 1, 0) > 0;
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    if (poll(&ready, 1, static_cast<int>(wait_ms)) > 0) return true;
  }
}

std::string EndOf(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
    return "was killed for a forbidden system call";
  }
  if (WIFSIGNALED(status)) {
    return absl::StrCat("killed by signal ", WTERMSIG(status));
  }
  return absl::StrCat("ended with code ", WEXITSTATUS(status));
}

}  // namespace

ChildReport ReadReport(std::string_view bytes) {
  ChildReport report;
  report.permitted = bytes.starts_with(kPermitted);
  if (report.permitted) bytes.remove_prefix(1);
  report.begun = bytes.starts_with(kBegun);
  if (report.begun) bytes.remove_prefix(1);
  Length length = 0;
  if (!bytes.starts_with(kAnswer) || bytes.size() < 1 + sizeof length) {
    return report;
  }
  std::memcpy(&length, bytes.data() + 1, sizeof length);
  bytes.remove_prefix(1 + sizeof length);
  if (length > kMostAnswerBytes || bytes.size() < length) return report;
  report.answered = true;
  report.answer = bytes.substr(0, length);
  return report;
}

std::string ChildPipe::AwaitOrder() {
  Length length = 0;
  if (!ReadAll(fd_, reinterpret_cast<char*>(&length), sizeof length) ||
      length > kMostOrderBytes) {
    return "";
  }
  std::string bytes(length, '\0');
  return ReadAll(fd_, bytes.data(), length) ? bytes : "";
}

void ChildPipe::Permit() { WriteAll(fd_, std::string_view(&kPermitted, 1)); }

bool ChildPipe::AwaitGo() {
  char byte = 0;
  if (!may_go_) may_go_ = ReadAll(fd_, &byte, 1) && byte == kGo;
  return may_go_;
}

bool ChildPipe::Begin() {
  if (!AwaitGo()) return false;
  WriteAll(fd_, std::string_view(&kBegun, 1));
  return true;
}

void ChildPipe::Answer(std::string_view bytes) {
  WriteAll(fd_, kAnswer + WithLength(bytes.substr(0, kMostAnswerBytes)));
}

void ChildPipe::CloseOthers() const {
  const auto kept = static_cast<unsigned>(fd_);
  if (kept > 3) close_range(3, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

void DieWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

absl::StatusOr<Child> Child::Start(const std::function<void(ChildPipe*)>& act) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "socketpair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return ErrnoError(errno, "fork");
  if (pid > 0) {
    UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process.valid()) return ErrnoError(errno, "pidfd_open");
    return Child(pid, std::move(process), std::move(ours));
  }
  ours.reset();  // or it would never see that its parent is gone
  ChildPipe pipe(theirs.get());
  act(&pipe);
  _exit(0);
}

Child::Child(pid_t pid, UniqueFd process, UniqueFd pipe)
    : pid_(pid), process_(std::move(process)), pipe_(std::move(pipe)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      process_(std::move(other.process_)),
      pipe_(std::move(other.pipe_)),
      heard_(std::move(other.heard_)) {}

Child::~Child() {
  if (pid_ >= 0) Reap(absl::InfinitePast());
}

int Child::Reap(absl::Time deadline) {
  int flags = 0;
  if (!WaitUntilReadable(process_.get(), deadline) &&
      syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0) !=
          0) {
    flags = WNOHANG;
  }
  int status = SIGKILL;
  while (waitpid(pid_, &status, flags) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void Child::Order(std::string_view bytes) {
  WriteAll(pipe_.get(), WithLength(bytes));
}

void Child::Go() { WriteAll(pipe_.get(), std::string_view(&kGo, 1)); }

ChildReport Child::Await(absl::Time deadline) {
  return AwaitUntil(deadline, [](const ChildReport&) { return false; });
}

ChildReport Child::AwaitPermission(absl::Time deadline) {
  return AwaitUntil(deadline,
                    [](const ChildReport& report) { return report.permitted; });
}

ChildReport Child::AwaitUntil(absl::Time deadline,
                              bool (*enough)(const ChildReport&)) {
  char buffer[4096];
  while (true) {
    ChildReport report = ReadReport(heard_);
    if (report.answered || enough(report)) return report;
    if (!WaitUntilReadable(pipe_.get(), deadline)) {
      report.end = "timed out";
      return report;
    }
    const ssize_t got = read(pipe_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0 && heard_.size() <= kMostAnswerBytes) {
      heard_.append(buffer, static_cast<size_t>(got));
      continue;
    }
    // More than any answer, or the end of the line: then it ends by itself.
    report.end = EndOf(Reap(got > 0 ? absl::InfinitePast() : deadline));
    return report;
  }
}

}  // namespace carme::impersonator
