#include "backend/privileged/privsep/child.h"

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

namespace carme {
namespace {

// The child sends kPermitted and kBegun at most once, then kResponse, the
// length and the bytes. Its parent sends the length and the bytes of a request,
// then kCommit, each at most once.
constexpr char kCommit = 'c';
constexpr char kPermitted = 'p';
constexpr char kBegun = 'b';
constexpr char kResponse = 'a';
using Length = uint32_t;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // the parent is gone
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

// False: the other end is closed.
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

std::string Framed(std::string_view bytes) {
  const auto length = static_cast<Length>(bytes.size());
  std::string message(sizeof length, '\0');
  std::memcpy(message.data(), &length, sizeof length);
  return message.append(bytes);
}

// False: nothing to read at the deadline.
bool WaitUntilReadable(int fd, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    pollfd ready{fd, POLLIN, 0};
    if (left <= absl::ZeroDuration()) return poll(&ready, 1, 0) > 0;
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    if (poll(&ready, 1, static_cast<int>(wait_ms)) > 0) return true;
  }
}

std::string DescribeEnd(int status) {
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
  if (!bytes.starts_with(kResponse) || bytes.size() < 1 + sizeof length) {
    return report;
  }
  std::memcpy(&length, bytes.data() + 1, sizeof length);
  bytes.remove_prefix(1 + sizeof length);
  if (length > kMaxReportBytes || bytes.size() < length) return report;
  report.responded = true;
  report.response = bytes.substr(0, length);
  return report;
}

std::string ChildPipe::AwaitRequest() {
  Length length = 0;
  if (!ReadAll(fd_, reinterpret_cast<char*>(&length), sizeof length) ||
      length > kMaxRequestBytes) {
    return "";
  }
  std::string bytes(length, '\0');
  return ReadAll(fd_, bytes.data(), length) ? bytes : "";
}

void ChildPipe::Permit() { WriteAll(fd_, std::string_view(&kPermitted, 1)); }

bool ChildPipe::AwaitCommit() {
  char byte = 0;
  if (!may_commit_) may_commit_ = ReadAll(fd_, &byte, 1) && byte == kCommit;
  return may_commit_;
}

bool ChildPipe::Begin() {
  if (!AwaitCommit()) return false;
  WriteAll(fd_, std::string_view(&kBegun, 1));
  return true;
}

void ChildPipe::Respond(std::string_view bytes) {
  WriteAll(fd_, kResponse + Framed(bytes.substr(0, kMaxReportBytes)));
}

void ChildPipe::CloseOthers() const {
  const auto keep = static_cast<unsigned>(fd_);
  if (keep > 3) close_range(3, keep - 1, 0);
  close_range(keep + 1, ~0U, 0);
}

void DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

absl::StatusOr<Child> Child::Start(const std::function<void(ChildPipe*)>& run) {
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
  ours.reset();  // otherwise the child never sees that its parent is gone
  ChildPipe pipe(theirs.get());
  run(&pipe);
  _exit(0);
}

Child::Child(pid_t pid, UniqueFd process, UniqueFd pipe)
    : pid_(pid), process_(std::move(process)), pipe_(std::move(pipe)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      process_(std::move(other.process_)),
      pipe_(std::move(other.pipe_)),
      received_(std::move(other.received_)) {}

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

void Child::SendRequest(std::string_view bytes) {
  WriteAll(pipe_.get(), Framed(bytes));
}

void Child::Commit() { WriteAll(pipe_.get(), std::string_view(&kCommit, 1)); }

ChildReport Child::Await(absl::Time deadline) {
  return AwaitUntil(deadline, [](const ChildReport&) { return false; });
}

ChildReport Child::AwaitPermission(absl::Time deadline) {
  return AwaitUntil(deadline,
                    [](const ChildReport& report) { return report.permitted; });
}

ChildReport Child::AwaitUntil(absl::Time deadline,
                              bool (*is_enough)(const ChildReport&)) {
  char buffer[4096];
  while (true) {
    ChildReport report = ReadReport(received_);
    if (report.responded || is_enough(report)) return report;
    if (!WaitUntilReadable(pipe_.get(), deadline)) {
      report.end = "timed out";
      return report;
    }
    const ssize_t got = read(pipe_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0 && received_.size() <= kMaxReportBytes) {
      received_.append(buffer, static_cast<size_t>(got));
      continue;
    }
    // More than any response, or the child closed its end and is about to end.
    report.end = DescribeEnd(Reap(got > 0 ? absl::InfinitePast() : deadline));
    return report;
  }
}

}  // namespace carme
