#include "slurm-hooks/agent/multi_node/node_agents.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/agent/multi_node/slurm_allocation.h"
#include "slurm-hooks/nodes/node_agent_messages.h"
#include "slurm-hooks/nodes/node_list.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxAtOnce = 32 << 10;  // bytes of one write
constexpr size_t kMaxDetail = 300;
constexpr size_t kMaxLogLine = 180;  // a report contains up to two lines
constexpr size_t kMaxSrunLine = 64 << 10;
constexpr absl::Duration kLastEvent = absl::Seconds(1);
constexpr absl::Duration kFirstRetry = absl::Seconds(1);
constexpr absl::Duration kMaxRetry = absl::Seconds(20);

std::string ValueOf(const JobFacts& facts, const std::string& name) {
  const std::string prefix = absl::StrCat(name, "=");
  for (const std::string& entry : facts.variables) {
    if (entry.starts_with(prefix)) return entry.substr(prefix.size());
  }
  return "";
}

// The nodes of the job, without the first one.
absl::StatusOr<std::set<std::string>> OtherNodes(const JobFacts& facts,
                                                 const std::string& first) {
  std::set<std::string> names(facts.vetted_nodes.begin(),
                              facts.vetted_nodes.end());
  if (names.empty()) {
    const std::string list = ValueOf(facts, "SLURM_JOB_NODELIST");
    const auto all = node::ExpandNodeList(list);
    if (all.has_value()) names.insert(all->begin(), all->end());
    names.erase(first);
    if (names.empty()) {
      return MakeError(agent_multi_node_messages::kNodeListInvalid,
                       {{"list", PlainText(list, kMaxDetail)}});
    }
  }
  return names;
}

// One task on each node, next to the other steps of the job, with all cores and
// devices that the job has there. A node that the job returns to Slurm takes
// its task with it: neither that nor `WaitTime` may end the others.
std::vector<std::string> SrunCommand(const JobFacts& facts,
                                     const std::string& first_node,
                                     const std::set<std::string>& nodes,
                                     bool name_nodes) {
  std::vector<std::string> command = {facts.environment.srun,
                                      "--quiet",
                                      "--overlap",
                                      "--mem=0",
                                      "--mpi=none",
                                      "--cpu-bind=none",
                                      "--chdir=/",
                                      "--input=all",
                                      "--kill-on-bad-exit=0",
                                      "--wait=0",
                                      "--ntasks-per-node=1",
                                      absl::StrCat("--nodes=", nodes.size()),
                                      absl::StrCat("--ntasks=", nodes.size()),
                                      absl::StrCat("--exclude=", first_node)};
  if (name_nodes) {
    command.push_back(absl::StrCat("--nodelist=", absl::StrJoin(nodes, ",")));
  }
  command.push_back(
      absl::StrCat(facts.environment.programs, "/carme-node-agent"));
  command.insert(command.end(), {"--config", facts.config_path});
  return command;
}

// srun must report the end of every task.
std::vector<std::string> SrunVariables(std::vector<std::string> variables) {
  constexpr std::string_view kName = "SLURM_SRUN_REDUCE_TASK_EXIT_MSG=";
  std::erase_if(variables, [&](const std::string& entry) {
    return entry.starts_with(kName);
  });
  return variables;
}

struct SocketPair {
  UniqueFd own;
  UniqueFd its;
};

absl::StatusOr<SocketPair> NewSocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "make srun's streams");
  }
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Into the log of the job.
void CopyToLog(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<size_t>(put));
  }
}

}  // namespace

NodeAgents::NodeAgents(net::EventLoop& loop, const JobFacts& facts,
                       NodeAgentsOptions options, Owner owner)
    : loop_(loop),
      facts_(facts),
      options_(std::move(options)),
      owner_(std::move(owner)) {}

NodeAgents::~NodeAgents() {
  if (srun_.has_value() && !srun_ended_) srun_->Signal(SIGKILL);
}

absl::StatusOr<std::unique_ptr<NodeAgents>> NodeAgents::Start(
    net::EventLoop& loop, const JobFacts& facts, NodeAgentsOptions options,
    const node::v1::EnterEnvironment& enter, Owner owner) {
  if (facts.environment.srun.empty()) {
    return MakeError(agent_multi_node_messages::kNeedsSrun);
  }
  std::unique_ptr<NodeAgents> set(
      new NodeAgents(loop, facts, std::move(options), std::move(owner)));
  ASSIGN_OR_RETURN(set->names_, OtherNodes(facts, set->options_.first_node));
  *set->enter_.mutable_enter() = enter;
  RETURN_IF_ERROR(set->Launch());
  loop.Spawn(set->AwaitReady());
  return set;
}

absl::Status NodeAgents::Launch() {
  ASSIGN_OR_RETURN(SocketPair streams, NewSocketPair());
  ASSIGN_OR_RETURN(SocketPair errors, NewSocketPair());
  // Slurm may have kept a node that was found not healthy.
  const bool name_nodes = !facts_.vetted_nodes.empty() || srun_ended_;
  ASSIGN_OR_RETURN(
      srun_, node::ChildProcess::Start(
                 {.arguments = SrunCommand(facts_, options_.first_node, names_,
                                           name_nodes),
                  .environment = SrunVariables(facts_.variables),
                  .directory = "/",
                  .umask = facts_.umask,
                  .input = streams.its.get(),
                  .output = streams.its.get(),
                  .error = errors.its.get()}));
  srun_ended_ = false;
  max_rank_ = count();
  ASSIGN_OR_RETURN(stream_,
                   net::NewSocketStream(loop_, std::move(streams.own)));
  ASSIGN_OR_RETURN(std::shared_ptr<net::Stream> error_stream,
                   net::NewSocketStream(loop_, std::move(errors.own)));
  to_send_.clear();
  Enqueue(enter_);
  loop_.Spawn(ReadEvents(stream_));
  loop_.Spawn(ReadErrors(std::move(error_stream)));
  return absl::OkStatus();
}

void NodeAgents::ConfigurePeers(const node::v1::NodeList& list) {
  configured_.emplace();
  if (!names_.empty()) {
    node::v1::NodeAgentRequest request;
    *request.mutable_configure_peers() = list;
    Enqueue(request);
  }
  CheckConfigured();
}

void NodeAgents::Enqueue(const node::v1::NodeAgentRequest& request) {
  to_send_ += node::FrameOf(request);
  if (!sending_) loop_.Spawn(Send(stream_));
}

net::Task<void> NodeAgents::Send(std::shared_ptr<net::Stream> stream) {
  sending_ = true;
  while (!to_send_.empty()) {
    const std::string part = to_send_.substr(0, kMaxAtOnce);
    to_send_.erase(0, part.size());
    const net::IoResult put = co_await stream->Write(part);
    if (put.error != 0) break;  // ReadErrors or OnChild reports the end
  }
  sending_ = false;
}

net::Task<void> NodeAgents::ReadEvents(std::shared_ptr<net::Stream> stream) {
  std::string text;
  while (true) {
    const net::IoResult got =
        co_await stream->Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    // OnChild reports the cause
    if (got.error != 0 || got.bytes == 0) co_return;
    text.append(loop_.scratch(), got.bytes);
    while (true) {
      const auto event = node::TakeEvent(&text);
      if (!event.ok()) {
        Fail(TextOfStatus(event.status()));
        co_return;
      }
      if (!event->has_value()) break;
      OnEvent(**event);
    }
  }
}

net::Task<void> NodeAgents::ReadErrors(std::shared_ptr<net::Stream> stream) {
  std::string text;
  while (true) {
    const net::IoResult got =
        co_await stream->Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    const std::string_view piece(loop_.scratch(), got.bytes);
    CopyToLog(piece);
    text.append(piece);
    size_t end = 0;
    while ((end = text.find('\n')) != std::string::npos) {
      const std::string line = text.substr(0, end);
      text.erase(0, end + 1);
      for (const std::string& node : NodesOfEndedTasks(line)) {
        if (!names_.contains(node)) continue;
        srun_lines_[node] = PlainText(line, kMaxLogLine);
        OnEnded(node, "");
      }
    }
    if (text.size() > kMaxSrunLine) text.clear();
  }
}

net::Task<void> NodeAgents::AwaitReady() {
  const int error = co_await net::Sleep(loop_, options_.timeout);
  if (error == 0 && nodes_.size() < names_.size()) {
    Fail(MakeText(agent_multi_node_messages::kNodesNotReady,
                  {{"ready", nodes_.size()},
                   {"nodes", names_.size()},
                   {"seconds", absl::ToInt64Seconds(options_.timeout)}}));
  }
}

void NodeAgents::OnEvent(const node::v1::NodeAgentEvent& event) {
  if (event.has_ready()) return OnReady(event.ready());
  if (event.has_failed()) return OnFailed(event.failed());
  if (event.has_samples()) return OnSamples(event.samples());
  if (event.has_use()) return OnUse(event.use());
  if (!event.has_peers_configured() || !configured_.has_value()) return;
  const uint32_t rank = event.peers_configured().rank();
  // The last event of a node that is not the job's any more may be late.
  if (!nodes_.contains(rank) || !configured_->insert(rank).second) return;
  CheckConfigured();
}

void NodeAgents::OnSamples(const carme::v1::NodeSamples& samples) {
  if (!owner_.samples) return;
  for (const auto& [rank, node] : nodes_) {
    if (node.name() == samples.node()) return owner_.samples(samples);
  }
}

void NodeAgents::OnUse(const node::v1::NodeUse& use) {
  if (!names_.contains(use.node())) return;
  const bool changed = use.runs_programs() ? unused_.erase(use.node()) > 0
                                           : unused_.insert(use.node()).second;
  if (!changed || !owner_.unused) return;
  owner_.unused({unused_.begin(), unused_.end()});
}

void NodeAgents::OnReady(const node::v1::JobNode& node) {
  if (!names_.contains(node.name())) {
    LogWarning("ready, but not a node of the job", {{"node", node.name()}});
    return;
  }
  if (node.rank() < 1 || node.rank() > max_rank_ ||
      !nodes_.emplace(node.rank(), node).second) {
    return Fail(absl::StrCat("node ", PlainText(node.name(), 64), " has rank ",
                             node.rank(), ": expected 1 to ", max_rank_,
                             ", each used once"));
  }
  LogInfo("node ready", {{"node", node.name()},
                         {"rank", node.rank()},
                         {"ssh_port", node.ssh_port()}});
  CheckReady();
}

void NodeAgents::CheckReady() {
  if (nodes_.size() < names_.size()) return;
  std::vector<node::v1::JobNode> all;
  for (const auto& [rank, one] : nodes_) all.push_back(one);
  owner_.ready(all);
}

void NodeAgents::CheckConfigured() {
  if (!configured_.has_value() || configured_->size() < names_.size()) return;
  configured_.reset();
  owner_.configured();
}

void NodeAgents::OnFailed(const node::v1::NodeFailed& failed) {
  const DisplayText cause =
      MakeText(agent_multi_node_messages::kNodeFailed,
               {{"node", PlainText(failed.node(), 64)},
                {"cause", PlainText(failed.detail(), kMaxDetail)}});
  if (!names_.contains(failed.node())) return Fail(cause);
  OnEnded(failed.node(), cause);
}

void NodeAgents::OnChild() {
  if (!srun_.has_value() || srun_ended_) return;
  const std::optional<node::ProcessEnd> end = srun_->TakeEnd();
  if (!end.has_value()) return;
  srun_ended_ = true;
  srun_exit_code_ = end->exit_code;
  const std::set<std::string> names = names_;
  for (const std::string& node : names) OnEnded(node, "");
}

void NodeAgents::OnEnded(const std::string& node, const DisplayText& cause) {
  if (ending_ || failed_ || !names_.contains(node)) return;
  DisplayText& known = ended_[node];
  if (known.empty()) known = cause;
  if (!asking_) loop_.Spawn(AskSlurm());
}

net::Task<void> NodeAgents::AskSlurm() {
  asking_ = true;
  const absl::Time deadline = absl::Now() + options_.slurm_timeout;
  absl::Duration retry = kFirstRetry;
  // The last event of a node agent may still be unread, and is more specific.
  int stopped = co_await net::Sleep(loop_, kLastEvent);
  while (stopped == 0 && !ended_.empty() && !ending_ && !failed_) {
    std::vector<std::string> asked;
    for (const auto& [node, cause] : ended_) asked.push_back(node);
    const absl::StatusOr<std::vector<std::string>> nodes =
        co_await QueryAllocation(loop_, facts_);
    if (absl::IsCancelled(nodes.status()) || ending_ || failed_) break;
    if (nodes.ok()) {
      OnAllocation(asked, *nodes);
      continue;
    }
    LogWarning("node agent ended, and Slurm does not list the job's nodes",
               {{"node", asked[0]}, {"error", nodes.status().ToString()}});
    if (absl::Now() + retry > deadline) {
      Fail(MakeText(
          agent_multi_node_messages::kSlurmSilent,
          {{"cause", CauseOf(asked[0])},
           {"seconds", absl::ToInt64Seconds(options_.slurm_timeout)}}));
      break;
    }
    stopped = co_await net::Sleep(loop_, Jittered(retry));
    retry = std::min(retry * 2, kMaxRetry);
  }
  asking_ = false;
}

void NodeAgents::OnAllocation(const std::vector<std::string>& asked,
                              const std::vector<std::string>& nodes) {
  const std::set<std::string> has(nodes.begin(), nodes.end());
  std::vector<std::string> returned;
  std::string lost;
  for (const std::string& node : asked) {
    // Without its first node the job is not running any more.
    if (has.contains(options_.first_node) && !has.contains(node)) {
      returned.push_back(node);
    } else if (lost.empty()) {
      lost = node;
    }
  }
  // srun found fewer nodes than the job had when it was submitted.
  const bool never_started = srun_ended_ && nodes_.empty() && !returned.empty();
  if (!lost.empty() && !never_started) return Fail(CauseOf(lost));
  // Its servers run on the node, which Slurm may give to another job.
  if (!returned.empty() && !facts_.environment.storage.empty()) {
    return Fail(MakeText(agent_multi_node_messages::kStorageNeedsNodes,
                         {{"nodes", absl::StrJoin(returned, ", ")}}));
  }
  Return(returned);
  if (!never_started || names_.empty()) return;
  ended_.clear();
  const absl::Status launched = Launch();
  if (!launched.ok()) Fail(TextOfStatus(launched));
}

void NodeAgents::Return(const std::vector<std::string>& nodes) {
  for (const std::string& name : nodes) {
    LogInfo("node returned to Slurm", {{"node", name}});
    names_.erase(name);
    unused_.erase(name);
    ended_.erase(name);
    srun_lines_.erase(name);
  }
  std::erase_if(nodes_, [&](const auto& entry) {
    return !names_.contains(entry.second.name());
  });
  const bool was_configuring = configured_.has_value();
  if (was_configuring) {
    std::erase_if(*configured_,
                  [&](uint32_t rank) { return !nodes_.contains(rank); });
  }
  owner_.returned();
  CheckReady();
  // Otherwise `ready` may have begun another configuration.
  if (was_configuring) CheckConfigured();
}

DisplayText NodeAgents::CauseOf(const std::string& node) const {
  const auto known = ended_.find(node);
  if (known != ended_.end() && !known->second.empty()) return known->second;
  // The node, and the message of its node agent.
  const auto own = srun_lines_.find(node);
  std::vector<std::string> lines;
  for (const std::string& line :
       {own != srun_lines_.end()
            ? own->second
            : ReadLastLineWith("srun: error: ", STDERR_FILENO, kMaxLogLine),
        ReadLastLineWith("carme-node-agent: ", STDERR_FILENO, kMaxLogLine)}) {
    if (!line.empty()) lines.push_back(line);
  }
  if (!lines.empty()) {
    return MakeText(agent_multi_node_messages::kConnectionLost,
                    {{"cause", absl::StrJoin(lines, ": ")}});
  }
  return MakeText(agent_multi_node_messages::kConnectionLostSrun,
                  {{"exit_code", srun_exit_code_}});
}

void NodeAgents::Fail(const DisplayText& detail) {
  if (ending_ || std::exchange(failed_, true)) return;
  LogError("node lost", {{"error", detail.text}});
  owner_.failed(detail);
}

}  // namespace carme::agent
