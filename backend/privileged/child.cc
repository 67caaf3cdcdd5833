#include "backend/privileged/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

// What goes through the pipe: kBegun at most once, then kAnswer and the bytes.
constexpr char kBegun = 'b';
constexpr char kAnswer = 'a';

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;  // the parent is gone, and with it who asked
    bytes.remove_prefix(static_cast<size_t>(put));
  }
}

// False: the deadline passed. Ends at the pipe's end or at its bound.
bool ReadUntil(int fd, absl::Time deadline, std::string* bytes) {
  char buffer[4096];
  while (bytes->size() < kMostAnswerBytes + 2) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd ready{fd, POLLIN, 0};
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    const int count = poll(&ready, 1, static_cast<int>(wait_ms));
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t got = count < 0 ? -1 : read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    bytes->append(buffer, static_cast<size_t>(got));
  }
  return true;
}

std::string EndOf(int status) {
  if (WIFSIGNALED(status)) {
    return absl::StrCat("killed by signal ", WTERMSIG(status));
  }
  return absl::StrCat("ended with code ", WEXITSTATUS(status));
}

ChildReport Read(std::string_view bytes) {
  ChildReport report;
  if (bytes.starts_with(kBegun)) {
    report.begun = true;
    bytes.remove_prefix(1);
  }
  if (bytes.starts_with(kAnswer)) {
    report.answered = true;
    report.answer = bytes.substr(1);
  }
  return report;
}

}  // namespace

void ChildPipe::Begin() { WriteAll(fd_, std::string_view(&kBegun, 1)); }

void ChildPipe::Answer(std::string_view bytes) {
  bytes = bytes.substr(0, kMostAnswerBytes);
  WriteAll(fd_, absl::StrCat(absl::string_view(&kAnswer, 1),
                             absl::string_view(bytes.data(), bytes.size())));
}

absl::StatusOr<ChildReport> RunInChild(
    absl::Time deadline, const std::function<void(ChildPipe*)>& act) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t child = fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) {
    ChildPipe pipe(theirs.get());
    act(&pipe);
    _exit(0);
  }
  theirs.reset();
  std::string bytes;
  const bool in_time = ReadUntil(ours.get(), deadline, &bytes);
  // After an answer too: a child has nothing more to do, and may not linger.
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ChildReport report = Read(bytes);
  if (!report.answered) report.end = in_time ? EndOf(status) : "timed out";
  return report;
}

}  // namespace carme
