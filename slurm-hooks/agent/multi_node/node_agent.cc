#include "slurm-hooks/agent/multi_node/node_agent.h"

#include <linux/sockios.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/nodes/node_agent_messages.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/process/children.h"
#include "slurm-hooks/sampler/gpu_metric_source.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kProgramsInterval = absl::Seconds(10);

// Whether the reader has taken everything that was written to standard output,
// so that a line of at most 64 KiB fits into the pipe or socket.
bool IsOutputEmpty() {
  int waiting = 0;
  if (ioctl(STDOUT_FILENO, FIONREAD, &waiting) != 0) return false;
  struct stat info {};
  if (fstat(STDOUT_FILENO, &info) == 0 && S_ISSOCK(info.st_mode) &&
      ioctl(STDOUT_FILENO, SIOCOUTQ, &waiting) != 0) {
    return false;
  }
  return waiting == 0;
}

}  // namespace

NodeAgent::NodeAgent(JobFacts facts, uint32_t rank, const Clock& clock)
    : facts_(std::move(facts)), rank_(rank), clock_(clock) {}

NodeAgent::~NodeAgent() { loop_->Remove(STDIN_FILENO, this); }

absl::StatusOr<std::unique_ptr<NodeAgent>> NodeAgent::Create(
    JobFacts facts, uint32_t rank, const Clock& clock) {
  std::unique_ptr<NodeAgent> agent(
      new NodeAgent(std::move(facts), rank, clock));
  NodeAgent* const self = agent.get();
  ASSIGN_OR_RETURN(agent->loop_, net::EventLoop::Create());
  ASSIGN_OR_RETURN(agent->signals_,
                   node::SignalSource::Create(
                       *agent->loop_, {SIGTERM, SIGINT, SIGCHLD},
                       [self](int number) { self->OnSignal(number); }));
  // Level-triggered: one block is read per event.
  RETURN_IF_ERROR(agent->loop_->Add(STDIN_FILENO, EPOLLIN, self));
  return agent;
}

int NodeAgent::Run() {
  loop_->Run();
  metrics_.reset();
  step_server_.reset();
  ssh_.reset();
  environment_.reset();
  return exit_code_;
}

void NodeAgent::OnSignal(int number) {
  if (number != SIGCHLD) return loop_->Stop();
  if (environment_ != nullptr) environment_->OnChild();
  if (step_server_ != nullptr) step_server_->OnChild();
}

void NodeAgent::OnEvents(uint32_t) {
  std::array<char, 16384> buffer;
  const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return loop_->Stop();  // the agent has disconnected
  unread_.append(buffer.data(), static_cast<size_t>(got));
  while (true) {
    const auto request = node::TakeRequest(&unread_);
    if (request.ok() && !request->has_value()) return;
    const absl::Status done =
        request.ok() ? Handle(**request) : request.status();
    if (!done.ok()) return Fail(std::string(done.message()));
  }
}

absl::Status NodeAgent::Handle(const node::v1::NodeAgentRequest& request) {
  if (request.has_enter()) return Enter(request.enter());
  if (request.has_configure_peers())
    return Configure(request.configure_peers());
  return absl::OkStatus();
}

absl::Status NodeAgent::Enter(const node::v1::EnterEnvironment& enter) {
  if (environment_ != nullptr || !IsJobId(enter.job_id())) {
    return absl::InvalidArgumentError(
        "the first request from the agent is invalid");
  }
  const JobId job(enter.job_id());
  // Without a log of its own, the output of this node would reach the user
  // through srun only, in pieces.
  ASSIGN_OR_RETURN(const UniqueFd log,
                   OpenAppLog(AppLogPath(facts_.account.home, job,
                                         absl::StrCat("node", rank_))));
  dup2(log.get(), STDERR_FILENO);
  ASSIGN_OR_RETURN(plan_, CheckEnvironmentPlan(enter.environment()));
  // Before the variables become those of the job.
  const std::string own_step = sampler::SlurmStepOf(facts_.variables);
  facts_.variables = node::VariablesOnNode(
      {enter.variables().begin(), enter.variables().end()}, facts_.variables,
      rank_);
  if (enter.has_sampling()) StartSampling(enter.sampling(), own_step);
  environment_ = std::make_unique<JobEnvironment>(
      *loop_, clock_, facts_, *plan_,
      JobEnvironment::Owner{
          .entered =
              [this] {
                ssh_->Probe([this](uint32_t port, const std::string&) {
                  OnProbed(port);
                });
              },
          .started = [](const auto&) {},
          .ended = [](const auto&) {},
          .failed = [this](int,
                           const DisplayText& detail) { Fail(detail.text); }});
  ssh_ = std::make_unique<NodeSshSetup>(*loop_, *environment_, facts_, *plan_,
                                        job);
  RETURN_IF_ERROR(ssh_->Prepare(enter.ssh()));
  ASSIGN_OR_RETURN(step_server_, StepServer::Create(*loop_, *environment_,
                                                    facts_, *plan_, *ssh_));
  environment_->Open();
  return absl::OkStatus();
}

void NodeAgent::OnProbed(uint32_t ssh_port) {
  node::v1::NodeAgentEvent event;
  node::v1::JobNode& own = *event.mutable_ready();
  own = DescribeOwnNode(facts_);
  own.set_rank(rank_);
  own.set_ssh_port(ssh_port);
  Send(event);
}

void NodeAgent::StartSampling(const node::v1::SamplingPlan& plan,
                              const std::string& own_step) {
  const auto interval = ReadSamplingInterval(plan.interval_ms());
  const auto gpu_interval = ReadSamplingInterval(plan.gpu_interval_ms());
  if (!interval || !gpu_interval) return;
  metrics_ = std::make_unique<sampler::NodeSampler>(
      sampler::NodeSamplerOptions{
          .node = facts_.environment.node,
          .slurm_job = sampler::SlurmJobOf(facts_.variables),
          .agent_step = own_step,
          .directory = facts_.environment.directory,
          .interval = *interval},
      sampler::GpuSources(facts_.variables, *gpu_interval,
                          facts_.gpu.dcgm_host_engine),
      &clock_);
  facts_.environment.metrics_socket = metrics_->socket_path();
  loop_->Spawn(SendSamples(std::min(*interval, *gpu_interval)));
}

// Slurm transports standard output to the agent. While it is not read, nothing
// is written to it, so that this process does not block; the buffer is bounded.
net::Task<void> NodeAgent::SendSamples(absl::Duration interval) {
  // A line has four bytes for three.
  constexpr sampler::BatchLimits kLimits = {
      .max_bytes = 32 << 10, .max_series = 1000, .max_samples = 2000};
  while (co_await Pause(*loop_, interval) == 0) {
    while (IsOutputEmpty()) {
      auto samples =
          metrics_->buffer().Take(absl::ToUnixMillis(clock_.Now()), kLimits);
      if (!samples) break;
      node::v1::NodeAgentEvent event;
      *event.mutable_samples() = *std::move(samples);
      Send(event);
    }
  }
}

absl::Status NodeAgent::Configure(const node::v1::NodeList& list) {
  if (ssh_ == nullptr) {
    return absl::InvalidArgumentError(
        "the first request from the agent is invalid");
  }
  RETURN_IF_ERROR(ssh_->Configure(list));
  node::v1::NodeAgentEvent event;
  event.mutable_peers_configured()->set_rank(rank_);
  Send(event);
  if (!std::exchange(watches_programs_, true)) loop_->Spawn(WatchPrograms());
  return absl::OkStatus();
}

// Programs of the job are children of carme-init, and so are those that they
// leave behind. What runs before the job can start any belongs to the
// environment.
net::Task<void> NodeAgent::WatchPrograms() {
  const std::set<pid_t> own = node::ChildrenOf(environment_->init_pid());
  // At the last look; a program may follow another in between.
  bool ran_before = true;
  std::optional<bool> sent;
  while (co_await Pause(*loop_, kProgramsInterval) == 0) {
    const std::set<pid_t> now = node::ChildrenOf(environment_->init_pid());
    const bool runs_now =
        !std::includes(own.begin(), own.end(), now.begin(), now.end());
    const bool runs = std::exchange(ran_before, runs_now) || runs_now;
    if (sent == runs || !IsOutputEmpty()) continue;
    node::v1::NodeAgentEvent event;
    event.mutable_use()->set_node(DescribeOwnNode(facts_).name());
    event.mutable_use()->set_runs_programs(runs);
    Send(event);
    sent = runs;
  }
}

void NodeAgent::Send(const node::v1::NodeAgentEvent& event) {
  const std::string line = node::LineOf(event);
  if (write(STDOUT_FILENO, line.data(), line.size()) !=
      static_cast<ssize_t>(line.size())) {
    LogError("event not sent to the agent", {{"error", errno}});
    loop_->Stop();
  }
}

void NodeAgent::Fail(const std::string& detail) {
  LogError("leaving the job", {{"error", detail}});
  exit_code_ = 1;
  node::v1::NodeAgentEvent event;
  event.mutable_failed()->set_node(DescribeOwnNode(facts_).name());
  event.mutable_failed()->set_detail(detail);
  Send(event);
  loop_->Stop();
}

}  // namespace carme::agent
