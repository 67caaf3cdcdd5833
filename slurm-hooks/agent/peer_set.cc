#include "slurm-hooks/agent/peer_set.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/nodes/peer_messages.h"

namespace carme::agent {
namespace {

constexpr size_t kMostAtOnce = 32 << 10;  // of one write
constexpr size_t kLongestDetail = 300;
constexpr size_t kLongestLogLine = 180;  // two of them make one report

// One task a node, beside whatever else runs in the job, on all of the cores
// and devices that it has there.
std::vector<std::string> SrunCommand(const JobFacts& facts,
                                     const PeerSetOptions& options) {
  return {facts.environment.srun,
          "--quiet",
          "--overlap",
          "--mem=0",
          "--mpi=none",
          "--cpu-bind=none",
          "--chdir=/",
          "--input=all",
          "--kill-on-bad-exit=1",
          "--ntasks-per-node=1",
          absl::StrCat("--nodes=", options.count),
          absl::StrCat("--ntasks=", options.count),
          absl::StrCat("--exclude=", options.first_node),
          absl::StrCat(facts.environment.programs, "/carme-peer"),
          "--config",
          facts.config_path};
}

}  // namespace

PeerSet::PeerSet(net::EventLoop& loop, PeerSetOptions options, Owner owner)
    : loop_(loop), options_(std::move(options)), owner_(std::move(owner)) {}

PeerSet::~PeerSet() {
  if (srun_.has_value()) srun_->Signal(SIGKILL);
}

absl::StatusOr<std::unique_ptr<PeerSet>> PeerSet::Start(
    net::EventLoop& loop, const JobFacts& facts, PeerSetOptions options,
    const node::v1::Enter& enter, Owner owner) {
  if (facts.environment.srun.empty()) {
    return absl::FailedPreconditionError(
        "a job of several nodes needs srun: this node's agent.toml names none");
  }
  std::unique_ptr<PeerSet> set(
      new PeerSet(loop, std::move(options), std::move(owner)));
  RETURN_IF_ERROR(set->Launch(facts));
  node::v1::PeerOrder order;
  *order.mutable_enter() = enter;
  set->Order(order);
  loop.Spawn(set->Listen());
  loop.Spawn(set->AwaitUp());
  return set;
}

absl::Status PeerSet::Launch(const JobFacts& facts) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "make srun's streams");
  }
  UniqueFd own(ends[0]);
  const UniqueFd its(ends[1]);
  ASSIGN_OR_RETURN(srun_, node::ChildProcess::Start(
                              {.arguments = SrunCommand(facts, options_),
                               .environment = facts.variables,
                               .directory = "/",
                               .umask = facts.umask,
                               .input = its.get(),
                               .output = its.get(),
                               .error = STDERR_FILENO}));
  ASSIGN_OR_RETURN(stream_, net::NewSocketStream(loop_, std::move(own)));
  return absl::OkStatus();
}

void PeerSet::Tell(const node::v1::Meet& meet) {
  met_.clear();
  node::v1::PeerOrder order;
  *order.mutable_meet() = meet;
  Order(order);
}

void PeerSet::Order(const node::v1::PeerOrder& order) {
  to_send_ += node::FrameOf(order);
  if (!sending_) loop_.Spawn(Send());
}

net::Task<void> PeerSet::Send() {
  sending_ = true;
  while (!to_send_.empty()) {
    const std::string part = to_send_.substr(0, kMostAtOnce);
    to_send_.erase(0, part.size());
    const net::IoResult put = co_await stream_->Write(part);
    if (put.error != 0) break;  // whoever listens hears of the end
  }
  sending_ = false;
}

net::Task<void> PeerSet::Listen() {
  std::string text;
  while (true) {
    const net::IoResult got =
        co_await stream_->Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;  // OnChild knows more
    text.append(loop_.scratch(), got.bytes);
    while (true) {
      const auto event = node::TakeEvent(&text);
      if (!event.ok()) {
        Fail(std::string(event.status().message()));
        co_return;
      }
      if (!event->has_value()) break;
      OnEvent(**event);
    }
  }
}

net::Task<void> PeerSet::AwaitUp() {
  const int error = co_await net::Sleep(loop_, options_.patience);
  if (error == 0 && nodes_.size() < options_.count) {
    Fail(absl::StrCat(nodes_.size(), " of the ", options_.count,
                      " other nodes are there after ",
                      absl::ToInt64Seconds(options_.patience),
                      " s: expected all"));
  }
}

void PeerSet::OnEvent(const node::v1::PeerEvent& event) {
  if (event.has_up()) return OnUp(event.up());
  if (event.has_failed()) {
    return Fail(
        absl::StrCat("node ", PlainText(event.failed().node(), 64), ": ",
                     PlainText(event.failed().detail(), kLongestDetail)));
  }
  if (!event.has_met() || !met_.insert(event.met().rank()).second) return;
  if (met_.size() == options_.count) owner_.met();
}

void PeerSet::OnUp(const node::v1::JobNode& node) {
  if (node.rank() < 1 || node.rank() > options_.count ||
      !nodes_.emplace(node.rank(), node).second) {
    return Fail(absl::StrCat("node ", PlainText(node.name(), 64), " has rank ",
                             node.rank(), ": expected 1 to ", options_.count,
                             ", each once"));
  }
  LogInfo("node up", {{"node", node.name()},
                      {"rank", node.rank()},
                      {"ssh_port", node.ssh_port()}});
  if (nodes_.size() < options_.count) return;
  std::vector<node::v1::JobNode> all;
  for (const auto& [rank, one] : nodes_) all.push_back(one);
  owner_.up(all);
}

void PeerSet::OnChild() {
  if (!srun_.has_value() || failed_) return;
  const std::optional<node::ProcessEnd> end = srun_->TakeEnd();
  if (!end.has_value()) return;
  // A peer's last word may still lie in the socket, and says more.
  loop_.Spawn(Bury(end->exit_code));
}

net::Task<void> PeerSet::Bury(int exit_code) {
  co_await net::Sleep(loop_, absl::Seconds(1));
  std::string why;
  // Which node it was, and what its peer had to say.
  for (const char* mark : {"srun: error: ", "carme-peer: "}) {
    const std::string line = LastLineWith(mark, STDERR_FILENO, kLongestLogLine);
    if (!line.empty()) absl::StrAppend(&why, ": ", line);
  }
  if (why.empty()) {
    why = absl::StrCat(": srun ended with exit code ", exit_code);
  }
  Fail(absl::StrCat("the job's other nodes are gone", why));
}

void PeerSet::Fail(const std::string& detail) {
  if (ending_ || std::exchange(failed_, true)) return;
  LogError("a node of the job is lost", {{"error", detail}});
  owner_.failed(detail);
}

}  // namespace carme::agent
