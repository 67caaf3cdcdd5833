#include "slurm-hooks/agent/peer.h"

#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/app_log.h"
#include "slurm-hooks/nodes/peer_messages.h"
#include "slurm-hooks/nodes/shared_files.h"

namespace carme::agent {

Peer::Peer(JobFacts facts, uint32_t rank, const Clock& clock)
    : facts_(std::move(facts)), rank_(rank), clock_(clock) {}

Peer::~Peer() { loop_->Remove(STDIN_FILENO, this); }

absl::StatusOr<std::unique_ptr<Peer>> Peer::Create(JobFacts facts,
                                                   uint32_t rank,
                                                   const Clock& clock) {
  std::unique_ptr<Peer> peer(new Peer(std::move(facts), rank, clock));
  Peer* const self = peer.get();
  ASSIGN_OR_RETURN(peer->loop_, net::EventLoop::Create());
  ASSIGN_OR_RETURN(peer->signals_,
                   node::SignalSource::Create(
                       *peer->loop_, {SIGTERM, SIGINT, SIGCHLD},
                       [self](int number) { self->OnSignal(number); }));
  // Level-triggered: one piece is read a turn.
  RETURN_IF_ERROR(peer->loop_->Add(STDIN_FILENO, EPOLLIN, self));
  return peer;
}

int Peer::Run() {
  loop_->Run();
  steps_.reset();
  share_.reset();
  environment_.reset();
  return exit_code_;
}

void Peer::OnSignal(int number) {
  if (number != SIGCHLD) return loop_->Stop();
  if (environment_ != nullptr) environment_->OnChild();
  if (steps_ != nullptr) steps_->OnChild();
}

void Peer::OnEvents(uint32_t) {
  std::array<char, 16384> buffer;
  const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return loop_->Stop();  // the agent is gone
  unread_.append(buffer.data(), static_cast<size_t>(got));
  while (true) {
    const auto order = node::TakeOrder(&unread_);
    if (order.ok() && !order->has_value()) return;
    const absl::Status done = order.ok() ? Obey(**order) : order.status();
    if (!done.ok()) return Fail(std::string(done.message()));
  }
}

absl::Status Peer::Obey(const node::v1::PeerOrder& order) {
  if (order.has_enter()) return Enter(order.enter());
  if (order.has_meet()) return Meet(order.meet());
  return absl::OkStatus();
}

absl::Status Peer::Enter(const node::v1::Enter& enter) {
  if (environment_ != nullptr || !IsJobId(enter.job_id())) {
    return absl::InvalidArgumentError("the agent's first order is not usable");
  }
  const JobId job(enter.job_id());
  // What is said on this node would else reach the user through srun only, in
  // pieces; so the node has a log of its own beside the apps'.
  ASSIGN_OR_RETURN(const UniqueFd log,
                   OpenAppLog(AppLogPath(facts_.account.home, job,
                                         absl::StrCat("node", rank_))));
  dup2(log.get(), STDERR_FILENO);
  ASSIGN_OR_RETURN(plan_, CheckEnvironmentPlan(enter.environment()));
  facts_.variables = node::VariablesOnNode(
      {enter.variables().begin(), enter.variables().end()}, facts_.variables,
      rank_);
  environment_ = std::make_unique<JobEnvironment>(
      *loop_, clock_, facts_, *plan_,
      JobEnvironment::Owner{
          .entered =
              [this] {
                share_->Look([this](uint32_t port, const std::string&) {
                  OnLooked(port);
                });
              },
          .started = [](const auto&) {},
          .ended = [](const auto&) {},
          .failed = [this](int, const std::string& detail) { Fail(detail); }});
  share_ =
      std::make_unique<NodeShare>(*loop_, *environment_, facts_, *plan_, job);
  RETURN_IF_ERROR(share_->Prepare(enter.ssh()));
  ASSIGN_OR_RETURN(
      steps_, StepDoor::Create(*loop_, *environment_, facts_, *plan_, *share_));
  environment_->Open();
  return absl::OkStatus();
}

void Peer::OnLooked(uint32_t ssh_port) {
  node::v1::PeerEvent event;
  node::v1::JobNode& up = *event.mutable_up();
  up = OwnNode(facts_);
  up.set_rank(rank_);
  up.set_ssh_port(ssh_port);
  Say(event);
}

absl::Status Peer::Meet(const node::v1::Meet& meet) {
  if (share_ == nullptr) {
    return absl::InvalidArgumentError("the agent's first order is not usable");
  }
  RETURN_IF_ERROR(share_->Meet(meet, rank_));
  node::v1::PeerEvent event;
  event.mutable_met()->set_rank(rank_);
  Say(event);
  return absl::OkStatus();
}

void Peer::Say(const node::v1::PeerEvent& event) {
  const std::string line = node::LineOf(event);
  if (write(STDOUT_FILENO, line.data(), line.size()) !=
      static_cast<ssize_t>(line.size())) {
    LogError("the agent does not listen", {{"error", errno}});
    loop_->Stop();
  }
}

void Peer::Fail(const std::string& detail) {
  LogError("this node leaves the job", {{"error", detail}});
  exit_code_ = 1;
  node::v1::PeerEvent event;
  event.mutable_failed()->set_node(OwnNode(facts_).name());
  event.mutable_failed()->set_detail(detail);
  Say(event);
  loop_->Stop();
}

}  // namespace carme::agent
