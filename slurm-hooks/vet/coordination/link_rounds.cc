#include "slurm-hooks/vet/coordination/link_rounds.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/random.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/evaluations/nccl_pair.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;
using node::v1::VetResult;

constexpr size_t kLinkKeyBytes = 32;
constexpr char kNoAnswer[] = "no answer";

double MetricOf(const VetResult& result, const char* name) {
  const auto found = result.metrics().find(name);
  return found == result.metrics().end() ? 0 : found->second;
}

bool HasPassed(const VetResult& result) {
  return result.status() == node::v1::VET_STATUS_PASSED;
}

// A round by NCCL.
class NcclRound {
 public:
  NcclRound(NodeConnections* connections, const std::vector<std::string>& names,
            uint32_t evaluation, const std::map<size_t, uint32_t>& gpus)
      : connections_(*connections),
        names_(names),
        evaluation_(evaluation),
        gpus_(gpus) {}

  void Start(const std::vector<NodePair>& pairs) {
    pairs_.reserve(pairs.size());
    for (const auto& [a, b] : pairs) {
      if (!connections_.is_connected(a) || !connections_.is_connected(b)) {
        continue;
      }
      pair_of_[a] = pair_of_[b] = pairs_.size();
      Pair& pair = pairs_.emplace_back();
      pair.first.node = std::min(a, b);
      pair.second.node = std::max(a, b);
      StartEnd(pair, &pair.first, "");
    }
    open_ = pairs_.size();
  }

  bool is_over() const { return open_ == 0; }

  void Handle(const NodeConnections::Event& event) {
    const auto found = pair_of_.find(event.node);
    if (found == pair_of_.end()) return;
    Pair& pair = pairs_[found->second];
    if (pair.is_over()) return;
    const bool is_first = event.node == pair.first.node;
    HandleOf(event, &pair, is_first ? &pair.first : &pair.second,
             is_first ? &pair.second : &pair.first);
    if (pair.is_over()) --open_;
  }

  // After it nothing is under way any more.
  std::vector<Link> TakeLinks() {
    std::vector<Link> links;
    for (const Pair& pair : pairs_) {
      for (const End* end : {&pair.first, &pair.second}) {
        if (end->is_busy()) connections_.Close(end->node, kNoAnswer);
      }
      if (connections_.is_connected(pair.first.node) &&
          connections_.is_connected(pair.second.node)) {
        links.push_back(LinkOf(pair));
      }
    }
    return links;
  }

 private:
  struct End {
    size_t node = 0;
    bool is_started = false;
    bool is_stopped = false;
    bool is_lost = false;
    std::optional<VetResult> result;

    bool is_busy() const {
      return is_started && !is_lost && !result.has_value();
    }
    bool HasPassedResult() const {
      return result.has_value() && HasPassed(*result);
    }
  };

  struct Pair {
    End first;  // creates the unique id
    End second;

    bool is_over() const { return !first.is_busy() && !second.is_busy(); }
  };

  void StartEnd(const Pair& pair, End* end, const std::string& unique_id) {
    const uint32_t first_gpus = gpus_.at(pair.first.node);
    VetPacket packet;
    packet.mutable_link_run()->set_evaluation(evaluation_);
    node::v1::VetNcclPair& run = *packet.mutable_link_run()->mutable_nccl();
    run.set_unique_id(unique_id);
    run.set_ranks(first_gpus + gpus_.at(pair.second.node));
    run.set_first_rank(end == &pair.first ? 0 : first_gpus);
    run.set_gpus(gpus_.at(end->node));
    end->is_started = true;
    connections_.Send(end->node, packet);
  }

  // Without its partner it would wait until its time-out.
  void StopEnd(End* end) {
    if (!end->is_busy() || std::exchange(end->is_stopped, true)) return;
    VetPacket packet;
    packet.mutable_link_stop()->set_evaluation(evaluation_);
    connections_.Send(end->node, packet);
  }

  void HandleOf(const NodeConnections::Event& event, Pair* pair, End* end,
                End* other) {
    if (!event.packet.has_value()) {
      end->is_lost = true;
      StopEnd(other);
      return;
    }
    const VetPacket& packet = *event.packet;
    if (packet.has_nccl_id()) {
      if (end == &pair->first && end->is_busy() && !end->is_stopped &&
          !other->is_started && connections_.is_connected(other->node) &&
          packet.nccl_id().unique_id().size() == kNcclUniqueIdBytes) {
        StartEnd(*pair, other, packet.nccl_id().unique_id());
      } else {
        StopEnd(end);
      }
      return;
    }
    if (!packet.has_result() || packet.result().evaluation() != evaluation_ ||
        !end->is_busy()) {
      return;
    }
    end->result = packet.result();
    if (!HasPassed(*end->result)) StopEnd(other);
  }

  // Either end may fail because the other one has, and then be first.
  std::string ProblemOf(const Pair& pair) const {
    std::vector<std::string> problems;
    for (const End* end : {&pair.first, &pair.second}) {
      if (!end->result.has_value() || HasPassed(*end->result)) continue;
      // each end waits for the other one
      if (end->result->has_timed_out()) return end->result->reason();
      if (end->result->is_stopped()) continue;
      problems.push_back(FormatMessage(
          coordination_messages::kOfNode,
          {{"node", names_[end->node]}, {"cause", end->result->reason()}}));
    }
    const bool has_passed =
        pair.first.HasPassedResult() && pair.second.HasPassedResult();
    return problems.empty() && !has_passed
               ? FormatMessage(coordination_messages::kNoResultOfPair)
               : absl::StrJoin(problems, "; ");
  }

  Link LinkOf(const Pair& pair) const {
    Link link{.a = pair.first.node,
              .b = pair.second.node,
              .problem = ProblemOf(pair),
              .evaluation = evaluation_,
              .is_by_nccl = true};
    if (!link.problem.empty()) return link;
    const VetResult& first = *pair.first.result;
    const VetResult& second = *pair.second.result;
    link.bandwidth = std::min(MetricOf(first, "bus_bytes_per_second"),
                              MetricOf(second, "bus_bytes_per_second"));
    link.latency_s =
        std::max(MetricOf(first, "latency_s"), MetricOf(second, "latency_s"));
    return link;
  }

  NodeConnections& connections_;
  const std::vector<std::string>& names_;
  const uint32_t evaluation_;
  const std::map<size_t, uint32_t>& gpus_;
  std::vector<Pair> pairs_;
  std::map<size_t, size_t> pair_of_;
  size_t open_ = 0;
};

}  // namespace

absl::Time LinkRounds::Deadline() const {
  return absl::Now() + timeout_ + kWorkerGrace;
}

std::vector<Link> LinkRounds::RunByTcp(const std::vector<NodePair>& pairs) {
  struct Pair {
    size_t listener;
    size_t measurer;
    std::string key;
    bool is_listening = false;
    bool is_measured = false;
    bool is_over = false;
  };
  std::vector<Link> links;
  std::vector<Pair> state;
  std::map<size_t, size_t> pair_of;
  for (const auto& [a, b] : pairs) {
    if (!connections_.is_connected(a) || !connections_.is_connected(b)) {
      continue;
    }
    pair_of[a] = pair_of[b] = state.size();
    state.push_back({a, b, RandomBytes(kLinkKeyBytes)});
    VetPacket packet;
    packet.mutable_link_run()->set_evaluation(evaluation_);
    packet.mutable_link_run()->set_key(state.back().key);
    connections_.Send(a, packet);
  }
  size_t open = state.size();
  const auto finish = [&](Pair* pair) {
    if (!std::exchange(pair->is_over, true)) --open;
  };
  const auto add = [&](Pair* pair, const VetResult* result,
                       const std::string& problem) {
    if (std::exchange(pair->is_measured, true)) return;
    Link link{.a = pair->listener,
              .b = pair->measurer,
              .problem = problem,
              .evaluation = evaluation_};
    if (result != nullptr) {
      link.latency_s = MetricOf(*result, "latency_s");
      link.bandwidth = std::min(MetricOf(*result, "send_bytes_per_second"),
                                MetricOf(*result, "receive_bytes_per_second"));
    }
    links.push_back(link);
  };
  std::set<size_t> answered;
  const absl::Time deadline = Deadline();
  while (open > 0) {
    const auto event = connections_.Next(deadline);
    if (!event.has_value()) break;
    const auto found = pair_of.find(event->node);
    if (found == pair_of.end()) continue;
    Pair& pair = state[found->second];
    if (!event->packet.has_value()) {
      finish(&pair);  // the other end is not to blame
      continue;
    }
    if (event->packet->has_link_listening() && !pair.is_listening) {
      pair.is_listening = true;
      VetPacket packet;
      node::v1::VetLinkRun& run = *packet.mutable_link_run();
      run.set_evaluation(evaluation_);
      run.set_key(pair.key);
      run.set_address(connections_.AddressOf(pair.listener, pair.measurer));
      run.set_port(event->packet->link_listening().port());
      connections_.Send(pair.measurer, packet);
      continue;
    }
    if (!event->packet->has_result() ||
        event->packet->result().evaluation() != evaluation_) {
      continue;
    }
    const VetResult& result = event->packet->result();
    answered.insert(event->node);
    if (event->node == pair.measurer) {
      add(&pair, HasPassed(result) ? &result : nullptr,
          HasPassed(result) ? "" : result.reason());
    } else if (!HasPassed(result) && !pair.is_listening) {
      add(&pair, nullptr, result.reason());
      finish(&pair);
    }
    if (answered.contains(pair.listener) && answered.contains(pair.measurer)) {
      finish(&pair);
    }
  }
  for (Pair& pair : state) {
    if (pair.is_over) continue;
    // which end does not answer, is known; the other one is not to blame
    for (const size_t node : {pair.listener, pair.measurer}) {
      if (answered.contains(node)) continue;
      if (node == pair.measurer && !pair.is_listening) continue;
      connections_.Close(node, kNoAnswer);
    }
  }
  return links;
}

std::vector<Link> LinkRounds::RunByNccl(
    const std::vector<NodePair>& pairs,
    const std::map<size_t, uint32_t>& gpus) {
  NcclRound round(&connections_, names_, evaluation_, gpus);
  round.Start(pairs);
  // after the time-out of one end, the other one is stopped
  const absl::Time deadline = Deadline() + kWorkerGrace;
  while (!round.is_over()) {
    const auto event = connections_.Next(deadline);
    if (!event.has_value()) break;
    round.Handle(*event);
  }
  return round.TakeLinks();
}

}  // namespace carme::vet
