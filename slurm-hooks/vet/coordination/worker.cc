#include "slurm-hooks/vet/coordination/worker.h"

#include <poll.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "common/status.h"
#include "slurm-hooks/process/children.h"
#include "slurm-hooks/vet/config/vet_config.h"
#include "slurm-hooks/vet/coordination/child_evaluation.h"
#include "slurm-hooks/vet/coordination/link_probe.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/evaluations/nccl_pair.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;

constexpr absl::Duration kWelcomeTimeout = absl::Minutes(10);

class Worker {
 public:
  explicit Worker(Channel channel) : channel_(std::move(channel)) {}

  absl::Status Begin(uint32_t rank, const std::string& host) {
    RETURN_IF_ERROR(node::Children::Adopt());
    VetPacket hello;
    hello.mutable_hello()->set_rank(rank);
    hello.mutable_hello()->set_host(host);
    hello.mutable_hello()->set_node_type(NodeType());
    RETURN_IF_ERROR(channel_.Send(hello));
    ASSIGN_OR_RETURN(const VetPacket welcome, channel_.Await(kWelcomeTimeout));
    const double timeout = welcome.welcome().default_timeout_s();
    ASSIGN_OR_RETURN(
        config_,
        ParseVetConfig(welcome.welcome().config(),
                       welcome.welcome().config_path(),
                       timeout > 0 ? std::optional(absl::Seconds(timeout))
                                   : std::nullopt));
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Run() {
    while (true) {
      ASSIGN_OR_RETURN(const auto packet, channel_.Take());
      if (packet.has_value()) {
        if (packet->has_verdict()) return packet->verdict().is_healthy();
        RETURN_IF_ERROR(Handle(*packet));
        continue;
      }
      RETURN_IF_ERROR(end_);
      RETURN_IF_ERROR(StartNext());
      RETURN_IF_ERROR(Wait());
    }
  }

 private:
  absl::Status Handle(const VetPacket& packet) {
    if (packet.has_clock_request()) {
      VetPacket reply;
      reply.mutable_clock()->set_time_s(
          absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()));
      return channel_.Send(reply);
    }
    if (packet.has_run()) {
      for (const uint32_t evaluation : packet.run().evaluations()) {
        VetPacket one;
        one.mutable_run()->add_evaluations(evaluation);
        waiting_.push_back(one);
      }
    } else if (packet.has_link_run()) {
      waiting_.push_back(packet);
    } else if (packet.has_link_stop()) {
      return StopLink(packet.link_stop().evaluation());
    }
    return absl::OkStatus();
  }

  // The measurement runs, waits to run, or has ended.
  absl::Status StopLink(uint32_t evaluation) {
    if (child_.has_value() && child_->evaluation() == evaluation) {
      for (const VetPacket& packet : child_->Stop()) {
        RETURN_IF_ERROR(channel_.Send(packet));
      }
      child_.reset();
      return absl::OkStatus();
    }
    if (std::erase_if(waiting_, [&](const VetPacket& packet) {
          return packet.has_link_run() &&
                 packet.link_run().evaluation() == evaluation;
        }) == 0) {
      return absl::OkStatus();
    }
    VetPacket packet;
    packet.mutable_result()->set_evaluation(evaluation);
    packet.mutable_result()->set_status(node::v1::VET_STATUS_FAILED);
    packet.mutable_result()->set_reason(
        FormatMessage(coordination_messages::kStopped));
    packet.mutable_result()->set_is_stopped(true);
    return channel_.Send(packet);
  }

  absl::Status StartNext() {
    if (child_.has_value() || waiting_.empty()) return absl::OkStatus();
    const VetPacket packet = waiting_.front();
    waiting_.pop_front();
    const uint32_t position = packet.has_run() ? packet.run().evaluations(0)
                                               : packet.link_run().evaluation();
    if (position >= config_.evaluations.size()) {
      return MakePlainError(coordination_messages::kMalformed);
    }
    const Evaluation& evaluation = config_.evaluations[position];
    ASSIGN_OR_RETURN(child_,
                     ChildEvaluation::Start(
                         position, evaluation.is_optional, evaluation.timeout,
                         [&](const ChildEvaluation::Report& report) {
                           return packet.has_run()
                                      ? Evaluate(evaluation)
                                      : RunLink(evaluation, packet.link_run(),
                                                report);
                         }));
    return absl::OkStatus();
  }

  static Outcome RunLink(const Evaluation& evaluation,
                         const node::v1::VetLinkRun& run,
                         const ChildEvaluation::Report& report) {
    if (run.has_nccl()) return RunNcclPair(evaluation, run.nccl(), report);
    LinkProbe probe;
    probe.key = run.key();
    probe.bytes =
        evaluation.parameters.Number("payload").value_or(kDefaultLinkBytes);
    probe.timeout = evaluation.timeout * 0.9;  // it has better reasons
    if (!run.address().empty()) {
      return MeasureLink(probe, run.address(), static_cast<int>(run.port()));
    }
    return AnswerLinkProbe(probe, [&](int port) {
      VetPacket packet;
      packet.mutable_link_listening()->set_port(static_cast<uint32_t>(port));
      report(packet);
    });
  }

  static Outcome RunNcclPair(const Evaluation& evaluation,
                             const node::v1::VetNcclPair& run,
                             const ChildEvaluation::Report& report) {
    const NcclPair pair{.unique_id = run.unique_id(),
                        .ranks = static_cast<int>(run.ranks()),
                        .first_rank = static_cast<int>(run.first_rank()),
                        .gpus = static_cast<int>(run.gpus())};
    return MeasureNcclPair(evaluation, pair, [&](const std::string& unique_id) {
      VetPacket packet;
      packet.mutable_nccl_id()->set_unique_id(unique_id);
      report(packet);
    });
  }

  absl::Status Wait() {
    pollfd waiting[] = {{channel_.fd(), POLLIN, 0}, {-1, POLLIN, 0}};
    int timeout = -1;
    if (child_.has_value()) {
      waiting[1].fd = child_->fd();
      timeout = static_cast<int>(std::clamp<int64_t>(
          absl::ToInt64Milliseconds(child_->deadline() - absl::Now()) + 1, 0,
          1 << 30));
    }
    poll(waiting, 2, timeout);
    if (waiting[0].revents != 0) end_ = channel_.Receive();
    if (!child_.has_value() ||
        (waiting[1].revents == 0 && absl::Now() < child_->deadline())) {
      return absl::OkStatus();
    }
    for (const VetPacket& packet : child_->Advance()) {
      RETURN_IF_ERROR(channel_.Send(packet));
    }
    if (child_->has_ended()) child_.reset();
    return absl::OkStatus();
  }

  Channel channel_;
  absl::Status end_;
  VetConfig config_;
  std::deque<VetPacket> waiting_;
  std::optional<ChildEvaluation> child_;
};

}  // namespace

absl::StatusOr<bool> RunWorker(Channel channel, uint32_t rank,
                               const std::string& host) {
  Worker worker(std::move(channel));
  RETURN_IF_ERROR(worker.Begin(rank, host));
  auto healthy = worker.Run();
  node::Children().KillAll();
  return healthy;
}

}  // namespace carme::vet
