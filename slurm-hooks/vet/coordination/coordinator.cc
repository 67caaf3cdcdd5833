#include "slurm-hooks/vet/coordination/coordinator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/coordination/link_rounds.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/coordination/node_connections.h"
#include "slurm-hooks/vet/coordination/rounds.h"
#include "slurm-hooks/vet/evaluations/nccl_pair.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;
using node::v1::VetResult;

constexpr absl::Duration kClockTimeout = absl::Seconds(3);
constexpr int kClockRequests = 5;
constexpr double kDefaultMaxSkew_s = 1;
constexpr double kDefaultMinRatio = 0.8;
// A node that hangs with each partner takes the time-out in each round: it is
// bad after this many.
constexpr size_t kMaxFailedPairs = 3;
constexpr double kMaxGpus = 1024;  // of a node
constexpr absl::Duration kStepCheck = absl::Milliseconds(200);

class Coordinator {
 public:
  Coordinator(CoordinatorOptions options, VetConfig config)
      : options_(std::move(options)),
        connections_(options_.nodes.size(), options_.identity,
                     std::move(options_.listener)) {
    run_.config = std::move(config);
    run_.nodes.resize(options_.nodes.size());
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      run_.nodes[node].host = options_.nodes[node];
      run_.nodes[node].results.resize(run_.config.evaluations.size());
    }
    if (options_.local.valid()) {
      connections_.Add(Channel(std::move(options_.local),
                               Channel::Side::kCoordinator,
                               options_.local_key));
    }
  }

  absl::Status LoadBaselines() {
    for (const Evaluation& evaluation : run_.config.evaluations) {
      const std::string path = evaluation.parameters.Text("baseline");
      if (path.empty() || baselines_.contains(path)) continue;
      auto baseline = LoadBaseline(path);
      // before the first `--learn` there is none
      if (!baseline.ok() && !absl::IsNotFound(baseline.status())) {
        return baseline.status();
      }
      baselines_[path] = baseline.ok() ? *std::move(baseline) : Baseline();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<VetRun> Run() {
    AwaitConnections();
    if (has_connected_.empty()) {
      return MakePlainError(coordination_messages::kNoNode,
                            {{"seconds", absl::ToInt64Seconds(waited_)}});
    }
    const std::vector<Evaluation>& evaluations = run_.config.evaluations;
    std::vector<uint32_t> batch;
    for (uint32_t i = 0; i < evaluations.size(); ++i) {
      const bool is_of_node = evaluations[i].type->place == Place::kNode;
      const bool is_by_nccl =
          is_of_node && IsMeasuredBetweenNodes(evaluations[i]);
      if (is_of_node) batch.push_back(i);
      if (is_of_node && !is_by_nccl) continue;
      RunBatch(std::exchange(batch, {}));
      if (is_by_nccl) {
        MeasureLinksByNccl(i);
      } else if (evaluations[i].type->place == Place::kClock) {
        CompareClocks(i);
      } else {
        MeasureLinks(i);
      }
    }
    RunBatch(batch);
    CompareWithBaselines();
    SendVerdicts();
    return std::move(run_);
  }

 private:
  VetResult& ResultOf(size_t node, uint32_t evaluation) {
    return run_.nodes[node].results[evaluation];
  }

  void Set(size_t node, uint32_t evaluation, node::v1::VetStatus status,
           const std::string& reason = "") {
    VetResult& result = ResultOf(node, evaluation);
    result.set_evaluation(evaluation);
    result.set_status(status);
    result.set_reason(reason);
  }

  std::string ReasonOfLoss(size_t node) const {
    if (!has_connected_.contains(node)) {
      return FormatMessage(coordination_messages::kNeverConnected,
                           {{"seconds", absl::ToInt64Seconds(waited_)}});
    }
    return FormatMessage(coordination_messages::kLost,
                         {{"cause", connections_.cause(node)}});
  }

  void AwaitConnections() {
    const absl::Time start = absl::Now();
    const absl::Time deadline = start + options_.connect_timeout;
    while (has_connected_.size() < run_.nodes.size() &&
           absl::Now() < deadline) {
      // the last packets of a step that is over have arrived already
      const bool is_over = options_.is_step_over();
      const auto event =
          connections_.Next(std::min(deadline, absl::Now() + kStepCheck));
      if (!event.has_value() && is_over) break;
      if (!event.has_value() || !event->packet.has_value()) continue;
      if (!event->packet->has_hello()) continue;
      has_connected_.insert(event->node);
      run_.nodes[event->node].node_type = event->packet->hello().node_type();
      VetPacket packet;
      packet.mutable_welcome()->set_config(options_.config);
      packet.mutable_welcome()->set_config_path(options_.config_path);
      packet.mutable_welcome()->set_default_timeout_s(absl::ToDoubleSeconds(
          options_.default_timeout.value_or(absl::ZeroDuration())));
      connections_.Send(event->node, packet);
    }
    waited_ = absl::Now() - start;
  }

  // Runs evaluations on all nodes at the same time, one after the other on
  // each.
  void RunBatch(const std::vector<uint32_t>& batch) {
    if (batch.empty()) return;
    VetPacket packet;
    absl::Duration timeout = kWorkerGrace;
    for (const uint32_t evaluation : batch) {
      packet.mutable_run()->add_evaluations(evaluation);
      timeout += run_.config.evaluations[evaluation].timeout;
    }
    std::map<size_t, std::set<uint32_t>> missing;
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      missing[node].insert(batch.begin(), batch.end());
      connections_.Send(node, packet);
    }
    const auto give_up = [&](size_t node, const std::string& reason) {
      for (const uint32_t evaluation : missing[node]) {
        Set(node, evaluation, node::v1::VET_STATUS_UNKNOWN, reason);
      }
      missing.erase(node);
    };
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      if (!connections_.is_connected(node)) give_up(node, ReasonOfLoss(node));
    }
    const absl::Time deadline = absl::Now() + timeout;
    while (!missing.empty()) {
      const auto event = connections_.Next(deadline);
      if (!event.has_value()) break;
      const auto found = missing.find(event->node);
      if (found == missing.end()) continue;
      if (!event->packet.has_value()) {
        give_up(event->node, ReasonOfLoss(event->node));
      } else if (event->packet->has_result() &&
                 found->second.erase(event->packet->result().evaluation()) >
                     0) {
        const VetResult& result = event->packet->result();
        ResultOf(event->node, result.evaluation()) = result;
        if (found->second.empty()) missing.erase(found);
      }
    }
    while (!missing.empty()) {
      const size_t node = missing.begin()->first;
      give_up(node,
              FormatMessage(coordination_messages::kNoAnswer,
                            {{"seconds", absl::ToInt64Seconds(timeout)}}));
      connections_.Close(node, "no answer");
    }
  }

  std::vector<size_t> Connected() const {
    std::vector<size_t> nodes;
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      if (connections_.is_connected(node)) nodes.push_back(node);
    }
    return nodes;
  }

  void SetLost(uint32_t evaluation) {
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      if (connections_.is_connected(node)) continue;
      Set(node, evaluation, node::v1::VET_STATUS_UNKNOWN, ReasonOfLoss(node));
    }
  }

  // The offset of each node's clock from this one; the exchange with the
  // shortest round trip counts.
  std::map<size_t, double> ReadClocks() {
    std::map<size_t, double> offsets;
    std::map<size_t, absl::Duration> round_trips;
    VetPacket request;
    request.mutable_clock_request();
    for (int i = 0; i < kClockRequests; ++i) {
      for (const size_t node : Connected()) {
        const absl::Time sent = absl::Now();
        connections_.Send(node, request);
        while (connections_.is_connected(node)) {
          const auto event = connections_.Next(sent + kClockTimeout);
          if (!event.has_value()) break;
          if (event->node != node || !event->packet.has_value() ||
              !event->packet->has_clock()) {
            continue;
          }
          const absl::Time received = absl::Now();
          const absl::Duration round_trip = received - sent;
          if (offsets.contains(node) && round_trip >= round_trips[node]) break;
          round_trips[node] = round_trip;
          const absl::Time middle = sent + round_trip / 2;
          offsets[node] = event->packet->clock().time_s() -
                          absl::ToDoubleSeconds(middle - absl::UnixEpoch());
          break;
        }
      }
    }
    return offsets;
  }

  void CompareClocks(uint32_t evaluation) {
    const double max =
        run_.config.evaluations[evaluation].parameters.Number("max").value_or(
            kDefaultMaxSkew_s);
    const std::map<size_t, double> clocks = ReadClocks();
    std::vector<size_t> nodes;
    std::vector<double> offsets;
    for (const auto& [node, offset] : clocks) {
      nodes.push_back(node);
      offsets.push_back(offset);
    }
    offsets = OffsetsFromMedian(offsets);
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      const std::string reason =
          FormatMessage(coordination_messages::kNoAnswer,
                        {{"seconds", absl::ToInt64Seconds(kClockTimeout)}});
      Set(node, evaluation, node::v1::VET_STATUS_UNKNOWN, reason);
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool is_off = std::abs(offsets[i]) > max;
      Set(nodes[i], evaluation,
          is_off ? node::v1::VET_STATUS_FAILED : node::v1::VET_STATUS_PASSED,
          is_off ? FormatMessage(coordination_messages::kClockOff,
                                 {{"found", FormatSeconds(offsets[i])},
                                  {"expected", FormatSeconds(max)}})
                 : "");
      (*ResultOf(nodes[i], evaluation).mutable_metrics())["offset_s"] =
          offsets[i];
    }
    SetLost(evaluation);
  }

  void MeasureLinks(uint32_t evaluation) {
    const std::vector<size_t> nodes = Connected();
    if (nodes.size() < 2) {
      for (const size_t node : nodes) {
        Set(node, evaluation, node::v1::VET_STATUS_SKIPPED,
            FormatMessage(coordination_messages::kAlone));
      }
      SetLost(evaluation);
      return;
    }
    const absl::Time start = absl::Now();
    LinkRounds rounds(&connections_, options_.nodes, evaluation,
                      run_.config.evaluations[evaluation].timeout);
    std::vector<Link> links;
    for (const size_t round : RoundsOf(evaluation, nodes.size())) {
      std::vector<NodePair> pairs;
      for (const auto& [a, b] : PairsOfRound(nodes.size(), round)) {
        pairs.emplace_back(nodes[a], nodes[b]);
      }
      Append(rounds.RunByTcp(pairs), &links);
      ++run_.rounds;
    }
    JudgeLinks(evaluation, nodes, std::move(links),
               absl::ToDoubleSeconds(absl::Now() - start));
  }

  std::vector<size_t> RoundsOf(uint32_t evaluation, size_t nodes) const {
    const auto max =
        run_.config.evaluations[evaluation].parameters.Number("max_rounds");
    return SelectRounds(nodes, static_cast<size_t>(max.value_or(0)));
  }

  static void Append(std::vector<Link> more, std::vector<Link>* links) {
    links->insert(links->end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }

  // After the part of each node: those that passed it are measured in pairs.
  void MeasureLinksByNccl(uint32_t evaluation) {
    std::map<size_t, uint32_t> gpus;
    std::vector<size_t> nodes;
    for (const size_t node : Connected()) {
      const VetResult& result = ResultOf(node, evaluation);
      const auto found = result.metrics().find(std::string(kGpusMetric));
      if (result.status() != node::v1::VET_STATUS_PASSED ||
          found == result.metrics().end() || !(found->second >= 1) ||
          found->second > kMaxGpus) {
        continue;
      }
      gpus[node] = static_cast<uint32_t>(found->second);
      nodes.push_back(node);
    }
    std::vector<Link> links;
    for (const size_t node : nodes) {
      for (const size_t other : Connected()) {
        if (gpus.contains(other)) continue;
        links.push_back(SkippedLink(evaluation, node, other, other,
                                    ResultOf(other, evaluation).reason()));
      }
    }
    if (nodes.size() < 2) {
      Append(std::move(links), &run_.links);
      for (const size_t node : nodes) {
        if (IsMeasuredWithinNode(run_.config.evaluations[evaluation]) &&
            gpus[node] > 1) {
          continue;
        }
        Set(node, evaluation, node::v1::VET_STATUS_SKIPPED,
            FormatMessage(coordination_messages::kFewNodesWithGpus));
      }
      SetLost(evaluation);
      return;
    }
    const absl::Time start = absl::Now();
    LinkRounds rounds(&connections_, options_.nodes, evaluation,
                      run_.config.evaluations[evaluation].timeout);
    std::map<size_t, size_t> failed_pairs;
    std::set<size_t> has_passed;
    const auto is_given_up = [&](size_t node) {
      return failed_pairs[node] >= kMaxFailedPairs &&
             !has_passed.contains(node);
    };
    for (const size_t round : RoundsOf(evaluation, nodes.size())) {
      std::vector<NodePair> pairs;
      for (const auto& [first, second] : PairsOfRound(nodes.size(), round)) {
        const size_t a = nodes[first];
        const size_t b = nodes[second];
        if (is_given_up(a) || is_given_up(b)) {
          links.push_back(
              SkippedLink(evaluation, a, b, is_given_up(a) ? a : b,
                          FormatMessage(coordination_messages::kGivenUp,
                                        {{"count", kMaxFailedPairs}})));
        } else {
          pairs.emplace_back(a, b);
        }
      }
      std::vector<Link> measured = rounds.RunByNccl(pairs, gpus);
      for (const Link& link : measured) {
        for (const size_t node : {link.a, link.b}) {
          if (link.problem.empty()) {
            has_passed.insert(node);
          } else {
            ++failed_pairs[node];
          }
        }
      }
      Append(std::move(measured), &links);
      ++run_.rounds;
    }
    JudgeLinks(evaluation, nodes, std::move(links),
               absl::ToDoubleSeconds(absl::Now() - start));
  }

  // Not measured because of one of its ends.
  Link SkippedLink(uint32_t evaluation, size_t a, size_t b, size_t node,
                   const std::string& cause) const {
    return {.a = std::min(a, b),
            .b = std::max(a, b),
            .skipped = FormatMessage(
                coordination_messages::kOfNode,
                {{"node", options_.nodes[node]}, {"cause", cause}}),
            .evaluation = evaluation,
            .is_by_nccl = true};
  }

  // Decides about these nodes.
  void JudgeLinks(uint32_t evaluation, const std::vector<size_t>& nodes,
                  std::vector<Link> links, double elapsed_s) {
    const std::vector<BadLink> bad = FindBadLinks(
        links, run_.config.evaluations[evaluation].parameters, options_.nodes);
    const Attribution attribution = Attribute(bad);
    for (const size_t node : nodes) {
      if (!connections_.is_connected(node)) continue;
      std::vector<std::string> reasons;
      size_t all = 0;
      double slowest = -1;
      double latency = 0;
      for (const Link& link : links) {
        if (link.a != node && link.b != node) continue;
        if (!link.skipped.empty()) continue;
        ++all;
        if (!link.problem.empty()) continue;
        slowest =
            slowest < 0 ? link.bandwidth : std::min(slowest, link.bandwidth);
        latency = std::max(latency, link.latency_s);
      }
      const bool is_guilty = std::binary_search(attribution.guilty.begin(),
                                                attribution.guilty.end(), node);
      for (const BadLink& link : is_guilty ? bad : attribution.undecided) {
        if (link.a == node || link.b == node) reasons.push_back(link.reason);
      }
      std::string reason = reasons.empty() ? "" : reasons[0];
      if (reasons.size() > 1) {
        reason = FormatMessage(
            coordination_messages::kLinksOfNode,
            {{"bad", reasons.size()}, {"all", all}, {"first", reasons[0]}});
      }
      Set(node, evaluation,
          reasons.empty() ? node::v1::VET_STATUS_PASSED
                          : node::v1::VET_STATUS_FAILED,
          reason);
      VetResult& result = ResultOf(node, evaluation);
      result.set_elapsed_s(result.elapsed_s() + elapsed_s);
      if (slowest >= 0) {
        (*result.mutable_metrics())["min_bytes_per_second"] = slowest;
        (*result.mutable_metrics())["max_latency_s"] = latency;
      }
      if (!reasons.empty()) failed_by_links_.emplace(node, evaluation);
      if (!reasons.empty() && is_guilty) guilty_.insert(node);
    }
    run_.bad_links.insert(run_.bad_links.end(), attribution.undecided.begin(),
                          attribution.undecided.end());
    Append(std::move(links), &run_.links);
    SetLost(evaluation);
  }

  void CompareWithBaselines() {
    for (uint32_t i = 0; i < run_.config.evaluations.size(); ++i) {
      const Parameters& parameters = run_.config.evaluations[i].parameters;
      const std::string path = parameters.Text("baseline");
      if (path.empty()) continue;
      for (NodeReport& node : run_.nodes) {
        VetResult& result = node.results[i];
        if (result.status() != node::v1::VET_STATUS_PASSED) continue;
        NodeMeasurement measured{node.node_type, {}};
        for (const auto& [name, value] : result.metrics()) {
          measured.metrics[name] = value;
        }
        bool found = false;
        const std::string problem = CompareWithBaseline(
            baselines_[path], measured,
            parameters.Number("min_ratio").value_or(kDefaultMinRatio), &found);
        if (!found) {
          result.set_status(node::v1::VET_STATUS_SKIPPED);
          result.set_reason(FormatMessage(coordination_messages::kNoBaseline,
                                          {{"type", node.node_type}}));
        } else if (!problem.empty()) {
          result.set_status(node::v1::VET_STATUS_FAILED);
          result.set_reason(problem);
        }
      }
    }
  }

  void SendVerdicts() {
    for (size_t node = 0; node < run_.nodes.size(); ++node) {
      NodeReport& report = run_.nodes[node];
      bool others_failed = false;
      for (size_t i = 0; i < report.results.size(); ++i) {
        const auto status = report.results[i].status();
        const bool is_bad = status == node::v1::VET_STATUS_FAILED ||
                            status == node::v1::VET_STATUS_UNKNOWN;
        const bool is_by_links =
            failed_by_links_.contains({node, static_cast<uint32_t>(i)});
        others_failed = others_failed || (is_bad && !is_by_links);
      }
      report.is_bad_by_links_alone =
          !report.is_healthy() && !others_failed && !guilty_.contains(node);
      VetPacket packet;
      packet.mutable_verdict()->set_is_healthy(report.is_healthy());
      connections_.Send(node, packet);
    }
  }

  CoordinatorOptions options_;
  NodeConnections connections_;
  VetRun run_;
  std::map<std::string, Baseline> baselines_;
  std::set<size_t> has_connected_;
  // Nodes with evaluations that failed because of their links.
  std::set<std::pair<size_t, uint32_t>> failed_by_links_;
  std::set<size_t> guilty_;
  absl::Duration waited_;
};

}  // namespace

bool NodeReport::is_healthy() const {
  return std::all_of(results.begin(), results.end(), [](const auto& result) {
    return result.status() == node::v1::VET_STATUS_PASSED ||
           result.status() == node::v1::VET_STATUS_SKIPPED;
  });
}

std::vector<size_t> VetRun::Healthy() const {
  std::vector<size_t> candidates;
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].is_healthy() || nodes[node].is_bad_by_links_alone) {
      candidates.push_back(node);
    }
  }
  return WithoutBadLinks(candidates, bad_links);
}

std::vector<double> OffsetsFromMedian(std::vector<double> offsets) {
  if (offsets.empty()) return offsets;
  std::vector<double> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  const double reference =
      offsets.size() == 2 ? offsets[0] : sorted[(sorted.size() - 1) / 2];
  for (double& offset : offsets) offset -= reference;
  return offsets;
}

std::string CompareWithBaseline(const Baseline& baseline,
                                const NodeMeasurement& node, double min_ratio,
                                bool* found) {
  const auto expected = baseline.find(node.node_type);
  *found = expected != baseline.end();
  if (!*found) return "";
  std::vector<std::string> problems;
  for (const auto& [name, value] : expected->second.metrics) {
    const auto measured = node.metrics.find(name);
    if (measured == node.metrics.end() || value <= 0 ||
        measured->second >= min_ratio * value) {
      continue;
    }
    problems.push_back(FormatMessage(
        coordination_messages::kBelowBaseline,
        {{"metric", name},
         {"percent", static_cast<int>(100 * measured->second / value)},
         {"type", node.node_type},
         {"expected", static_cast<int>(100 * min_ratio)}}));
  }
  return absl::StrJoin(problems, "; ");
}

absl::StatusOr<VetRun> Coordinate(CoordinatorOptions options) {
  ASSIGN_OR_RETURN(VetConfig config,
                   ParseVetConfig(options.config, options.config_path,
                                  options.default_timeout));
  Coordinator coordinator(std::move(options), std::move(config));
  RETURN_IF_ERROR(coordinator.LoadBaselines());
  return coordinator.Run();
}

}  // namespace carme::vet
