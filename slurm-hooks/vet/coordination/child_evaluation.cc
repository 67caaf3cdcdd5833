#include "slurm-hooks/vet/coordination/child_evaluation.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/time/clock.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/process/children.h"
#include "slurm-hooks/vet/coordination/messages.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;

constexpr size_t kMaxReason = 1000;
constexpr size_t kMaxReported = 1 << 20;
constexpr int kReportFd = 3;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) _exit(1);
    if (put > 0) bytes.remove_prefix(static_cast<size_t>(put));
  }
}

void Write(const VetPacket& packet) {
  const std::string payload = packet.SerializeAsString();
  const auto size = static_cast<uint32_t>(payload.size());
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  WriteAll(kReportFd, bytes + payload);
}

node::v1::VetStatus StatusOf(const Outcome& outcome, bool is_optional) {
  switch (outcome.kind) {
    case Outcome::Kind::kPassed:
      return node::v1::VET_STATUS_PASSED;
    case Outcome::Kind::kSkipped:
      return node::v1::VET_STATUS_SKIPPED;
    case Outcome::Kind::kError:
      return is_optional ? node::v1::VET_STATUS_SKIPPED
                         : node::v1::VET_STATUS_FAILED;
    case Outcome::Kind::kFailed:
      break;
  }
  return node::v1::VET_STATUS_FAILED;
}

// Nothing of the worker but the standard error stream is left to the child:
// what an evaluation prints must not look like a result.
void PrepareChild(pid_t parent, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
      (report != kReportFd && dup2(report, kReportFd) < 0)) {
    _exit(1);
  }
  fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
  close_range(kReportFd + 1, ~0U, 0);
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace

absl::StatusOr<ChildEvaluation> ChildEvaluation::Start(uint32_t evaluation,
                                                       bool is_optional,
                                                       absl::Duration timeout,
                                                       const Work& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  ChildEvaluation child;
  child.reader_.reset(ends[0]);
  const UniqueFd writer(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child.evaluation_ = evaluation;
  child.is_optional_ = is_optional;
  child.start_ = absl::Now();
  child.deadline_ = child.start_ + timeout;
  const pid_t parent = getpid();
  child.pid_ = fork();
  if (child.pid_ < 0) return ErrnoError(errno, "fork");
  if (child.pid_ > 0) return child;
  PrepareChild(parent, writer.get());
  const Outcome outcome = work(Write);
  VetPacket packet;
  node::v1::VetResult& result = *packet.mutable_result();
  result.set_status(StatusOf(outcome, is_optional));
  result.set_reason(
      outcome.kind == Outcome::Kind::kError
          ? FormatMessage(coordination_messages::kCouldNotRun,
                          {{"cause", Readable(outcome.reason, kMaxReason)}})
          : Readable(outcome.reason, kMaxReason));
  result.mutable_metrics()->insert(outcome.metrics.begin(),
                                   outcome.metrics.end());
  Write(packet);
  _exit(0);
}

VetPacket ChildEvaluation::Result(node::v1::VetStatus status,
                                  const std::string& reason) const {
  VetPacket packet;
  packet.mutable_result()->set_status(status);
  packet.mutable_result()->set_reason(reason);
  return packet;
}

// The child has closed its end, its time is over, or it is no longer needed.
VetPacket ChildEvaluation::End(bool is_stopped) {
  has_ended_ = true;
  int status = 0;
  const bool is_late = absl::Now() >= deadline_;
  const bool may_hang = is_late || is_stopped || result_.has_value();
  if (may_hang) kill(-pid_, SIGKILL);
  // a process that hangs in the kernel is left behind
  const pid_t ended = waitpid(pid_, &status, may_hang ? WNOHANG : 0);
  node::Children().KillAll();
  VetPacket packet;
  if (result_.has_value()) {
    packet = *result_;
  } else if (is_stopped) {
    packet = Result(node::v1::VET_STATUS_FAILED,
                    FormatMessage(coordination_messages::kStopped));
    packet.mutable_result()->set_is_stopped(true);
  } else if (is_late) {
    packet =
        Result(node::v1::VET_STATUS_FAILED,
               FormatMessage(
                   coordination_messages::kHang,
                   {{"seconds", absl::ToDoubleSeconds(deadline_ - start_)}}));
    packet.mutable_result()->set_has_timed_out(true);
  } else if (ended == pid_ && WIFSIGNALED(status)) {
    packet = Result(node::v1::VET_STATUS_FAILED,
                    FormatMessage(coordination_messages::kCrashed,
                                  {{"signal", WTERMSIG(status)}}));
  } else {
    packet = Result(is_optional_ ? node::v1::VET_STATUS_SKIPPED
                                 : node::v1::VET_STATUS_FAILED,
                    FormatMessage(coordination_messages::kNoResult,
                                  {{"code", WEXITSTATUS(status)}}));
  }
  packet.mutable_result()->set_evaluation(evaluation_);
  packet.mutable_result()->set_elapsed_s(
      absl::ToDoubleSeconds(absl::Now() - start_));
  return packet;
}

std::vector<VetPacket> ChildEvaluation::Advance() {
  bool is_closed = false;
  char buffer[4096];
  while (!is_closed && received_.size() < kMaxReported) {
    const ssize_t got = read(reader_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    is_closed = got <= 0;
    if (got > 0) received_.append(buffer, static_cast<size_t>(got));
  }
  std::vector<VetPacket> packets;
  uint32_t size = 0;
  while (received_.size() >= sizeof size) {
    std::memcpy(&size, received_.data(), sizeof size);
    if (received_.size() - sizeof size < size) break;
    VetPacket packet;
    if (packet.ParseFromArray(received_.data() + sizeof size,
                              static_cast<int>(size))) {
      if (packet.has_result()) {
        result_ = packet;
      } else {
        packets.push_back(packet);
      }
    }
    received_.erase(0, sizeof size + size);
  }
  if (result_.has_value() || is_closed || absl::Now() >= deadline_) {
    packets.push_back(End(/*is_stopped=*/false));
  }
  return packets;
}

std::vector<VetPacket> ChildEvaluation::Stop() {
  // a result that is there already says more
  std::vector<VetPacket> packets = Advance();
  if (!has_ended_) packets.push_back(End(/*is_stopped=*/true));
  return packets;
}

}  // namespace carme::vet
