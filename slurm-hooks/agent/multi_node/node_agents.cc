#include "slurm-hooks/agent/multi_node/node_agents.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/nodes/node_agent_messages.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxAtOnce = 32 << 10;  // bytes of one write
constexpr size_t kMaxDetail = 300;
constexpr size_t kMaxLogLine = 180;  // a report contains up to two lines

// One task on each node, next to the other steps of the job, with all cores and
// devices that the job has there.
std::vector<std::string> SrunCommand(const JobFacts& facts,
                                     const NodeAgentsOptions& options) {
  std::vector<std::string> command = {
      facts.environment.srun,
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
      absl::StrCat("--exclude=", options.first_node)};
  // Slurm may have kept a node that was found not healthy.
  if (!facts.vetted_nodes.empty()) {
    command.push_back(
        absl::StrCat("--nodelist=", absl::StrJoin(facts.vetted_nodes, ",")));
  }
  command.push_back(
      absl::StrCat(facts.environment.programs, "/carme-node-agent"));
  command.insert(command.end(), {"--config", facts.config_path});
  return command;
}

}  // namespace

NodeAgents::NodeAgents(net::EventLoop& loop, NodeAgentsOptions options,
                       Owner owner)
    : loop_(loop), options_(std::move(options)), owner_(std::move(owner)) {}

NodeAgents::~NodeAgents() {
  if (srun_.has_value()) srun_->Signal(SIGKILL);
}

absl::StatusOr<std::unique_ptr<NodeAgents>> NodeAgents::Start(
    net::EventLoop& loop, const JobFacts& facts, NodeAgentsOptions options,
    const node::v1::EnterEnvironment& enter, Owner owner) {
  if (facts.environment.srun.empty()) {
    return MakePlainError(agent_multi_node_messages::kNeedsSrun);
  }
  std::unique_ptr<NodeAgents> set(
      new NodeAgents(loop, std::move(options), std::move(owner)));
  RETURN_IF_ERROR(set->Launch(facts));
  node::v1::NodeAgentRequest request;
  *request.mutable_enter() = enter;
  set->Enqueue(request);
  loop.Spawn(set->ReadEvents());
  loop.Spawn(set->AwaitReady());
  return set;
}

absl::Status NodeAgents::Launch(const JobFacts& facts) {
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

void NodeAgents::ConfigurePeers(const node::v1::NodeList& list) {
  configured_.clear();
  node::v1::NodeAgentRequest request;
  *request.mutable_configure_peers() = list;
  Enqueue(request);
}

void NodeAgents::Enqueue(const node::v1::NodeAgentRequest& request) {
  to_send_ += node::FrameOf(request);
  if (!sending_) loop_.Spawn(Send());
}

net::Task<void> NodeAgents::Send() {
  sending_ = true;
  while (!to_send_.empty()) {
    const std::string part = to_send_.substr(0, kMaxAtOnce);
    to_send_.erase(0, part.size());
    const net::IoResult put = co_await stream_->Write(part);
    if (put.error != 0) break;  // ReadEvents or OnChild reports the end
  }
  sending_ = false;
}

net::Task<void> NodeAgents::ReadEvents() {
  std::string text;
  while (true) {
    const net::IoResult got =
        co_await stream_->Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    // OnChild reports the cause
    if (got.error != 0 || got.bytes == 0) co_return;
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

net::Task<void> NodeAgents::AwaitReady() {
  const int error = co_await net::Sleep(loop_, options_.timeout);
  if (error == 0 && nodes_.size() < options_.count) {
    Fail(absl::StrCat(nodes_.size(), " of ", options_.count,
                      " other nodes are ready after ",
                      absl::ToInt64Seconds(options_.timeout), " s"));
  }
}

void NodeAgents::OnEvent(const node::v1::NodeAgentEvent& event) {
  if (event.has_ready()) return OnReady(event.ready());
  if (event.has_failed()) {
    return Fail(absl::StrCat("node ", PlainText(event.failed().node(), 64),
                             ": ",
                             PlainText(event.failed().detail(), kMaxDetail)));
  }
  if (event.has_samples()) return OnSamples(event.samples());
  if (!event.has_peers_configured() ||
      !configured_.insert(event.peers_configured().rank()).second)
    return;
  if (configured_.size() == options_.count) owner_.configured();
}

void NodeAgents::OnSamples(const carme::v1::NodeSamples& samples) {
  if (!owner_.samples) return;
  for (const auto& [rank, node] : nodes_) {
    if (node.name() == samples.node()) return owner_.samples(samples);
  }
}

void NodeAgents::OnReady(const node::v1::JobNode& node) {
  if (node.rank() < 1 || node.rank() > options_.count ||
      !nodes_.emplace(node.rank(), node).second) {
    return Fail(absl::StrCat("node ", PlainText(node.name(), 64), " has rank ",
                             node.rank(), ": expected 1 to ", options_.count,
                             ", each used once"));
  }
  LogInfo("node ready", {{"node", node.name()},
                         {"rank", node.rank()},
                         {"ssh_port", node.ssh_port()}});
  if (nodes_.size() < options_.count) return;
  std::vector<node::v1::JobNode> all;
  for (const auto& [rank, one] : nodes_) all.push_back(one);
  owner_.ready(all);
}

void NodeAgents::OnChild() {
  if (!srun_.has_value() || failed_) return;
  const std::optional<node::ProcessEnd> end = srun_->TakeEnd();
  if (!end.has_value()) return;
  // The last event of a node agent may still be unread, and is more specific.
  loop_.Spawn(ReportLoss(end->exit_code));
}

net::Task<void> NodeAgents::ReportLoss(int exit_code) {
  co_await net::Sleep(loop_, absl::Seconds(1));
  std::string why;
  // The node, and the message of its node agent.
  for (const char* mark : {"srun: error: ", "carme-node-agent: "}) {
    const std::string line = ReadLastLineWith(mark, STDERR_FILENO, kMaxLogLine);
    if (!line.empty()) absl::StrAppend(&why, ": ", line);
  }
  if (why.empty()) {
    Fail(FormatMessage(agent_multi_node_messages::kConnectionLostSrun,
                       {{"exit_code", exit_code}}));
    co_return;
  }
  Fail(FormatMessage(agent_multi_node_messages::kConnectionLost,
                     {{"causes", why}}));
}

void NodeAgents::Fail(const std::string& detail) {
  if (ending_ || std::exchange(failed_, true)) return;
  LogError("node lost", {{"error", detail}});
  owner_.failed(detail);
}

}  // namespace carme::agent
