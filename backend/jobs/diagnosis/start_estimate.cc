#include "backend/jobs/diagnosis/start_estimate.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/diagnosis/alternative_sizes.h"
#include "backend/jobs/diagnosis/messages.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/policy/cluster/shortage.h"
#include "carme/v1/jobs.pb.h"

namespace carme::backend {
namespace {

// Slurm's clock and ours may differ, and it counts in seconds.
constexpr absl::Duration kSoon = absl::Seconds(30);
constexpr size_t kMaxNamed = 4;

std::string On(const std::vector<std::string>& nodes) {
  if (nodes.empty()) return "";
  if (nodes.size() > kMaxNamed) {
    return absl::StrCat(" on ", nodes.size(), " nodes");
  }
  return absl::StrCat(" on ", absl::StrJoin(nodes, ", "));
}

// In every partition that shares a node with this one.
int WaitingWith(const SlurmSnapshot& cluster, const std::string& partition) {
  std::set<std::string> partitions = {partition};
  for (const SlurmNode& node : cluster.nodes) {
    const auto& in = node.partitions;
    if (std::find(in.begin(), in.end(), partition) == in.end()) continue;
    partitions.insert(in.begin(), in.end());
  }
  int jobs = 0;
  for (const auto& [name, count] : cluster.waiting) {
    jobs += partitions.contains(name) ? count : 0;
  }
  return jobs;
}

std::string Behind(int jobs) {
  return jobs == 1 ? "1 job that waits" : absl::StrCat(jobs, " jobs that wait");
}

std::string Later(const StartEstimateSummary& estimate, const JobSpec& spec,
                  const SlurmSnapshot& cluster, absl::Time now) {
  std::string sentence =
      absl::StrCat("Starts in about ", RoughTime(*estimate.starts_at - now),
                   On(estimate.nodes));
  const std::string shortage = Shortage(spec, cluster);
  if (!shortage.empty()) absl::StrAppend(&sentence, ": ", shortage, " now");
  if (const int jobs = WaitingWith(cluster, spec.partition); jobs > 0) {
    absl::StrAppend(&sentence, "; ", jobs,
                    jobs == 1 ? " job waits" : " jobs wait", " already");
  }
  return absl::StrCat(sentence, ".");
}

// For a job without a GPU type: the GPU types of the nodes that Slurm would
// choose, unless all are the same.
std::string MixedGpus(const JobSpec& spec,
                      const std::vector<std::string>& nodes,
                      const SlurmSnapshot& cluster) {
  if (spec.gpus_per_node == 0 || !spec.gpu_type.empty() || nodes.size() < 2) {
    return "";
  }
  std::set<std::string> types;
  std::set<std::set<std::string>> by_node;
  for (const SlurmNode& node : cluster.nodes) {
    if (std::find(nodes.begin(), nodes.end(), node.name) == nodes.end()) {
      continue;
    }
    std::set<std::string> of_node;
    for (const auto& [type, count] : node.gpus) of_node.insert(type);
    types.insert(of_node.begin(), of_node.end());
    by_node.insert(std::move(of_node));
  }
  if (by_node.size() < 2) return "";
  return absl::StrCat(" ",
                      FormatMessage(job_diagnosis_messages::kMixedGpus,
                                    {{"types", absl::StrJoin(types, ", ")}}));
}

std::string Problem(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return FormatMessage(job_diagnosis_messages::kTooManyEstimates);
  }
  return FormatMessage(job_diagnosis_messages::kNotEstimated);
}

}  // namespace

StartEstimateSummary EstimateStart(
    const JobSpec& spec, const absl::StatusOr<SlurmStartEstimate>& answer,
    const SlurmSnapshot& cluster, absl::Time now) {
  StartEstimateSummary estimate;
  if (absl::IsFailedPrecondition(answer.status())) {
    const std::string shortage = Shortage(spec, cluster);
    estimate.sentence =
        shortage.empty()
            ? FormatMessage(job_diagnosis_messages::kCannotEstimate,
                            {{"cause", answer.status().message()}})
            : FormatMessage(job_diagnosis_messages::kCannotEstimateShort,
                            {{"shortage", shortage},
                             {"cause", answer.status().message()}});
    return estimate;
  }
  if (!answer.ok()) {
    estimate.problem = Problem(answer.status());
    return estimate;
  }
  estimate.starts_at = answer->starts_at;
  estimate.nodes = answer->nodes;
  if (answer->starts_at - now > kSoon) {
    estimate.sentence = absl::StrCat(Later(estimate, spec, cluster, now),
                                     MixedGpus(spec, estimate.nodes, cluster));
    return estimate;
  }
  const int waiting = WaitingWith(cluster, spec.partition);
  estimate.fits_now = true;
  estimate.now = waiting == 0;
  estimate.sentence =
      estimate.now
          ? absl::StrCat("Starts now", On(estimate.nodes), ".")
          : absl::StrCat("The resources are free now", On(estimate.nodes),
                         ", behind ", Behind(waiting), ".");
  absl::StrAppend(&estimate.sentence, MixedGpus(spec, estimate.nodes, cluster));
  return estimate;
}

void Fill(const StartEstimateSummary& estimate, v1::StartEstimate* message) {
  if (!estimate.problem.empty()) return message->set_problem(estimate.problem);
  if (estimate.starts_at) {
    Fill(*estimate.starts_at, message->mutable_starts_at());
  }
  message->set_now(estimate.now);
  for (const std::string& node : estimate.nodes) message->add_nodes(node);
  message->set_sentence(estimate.sentence);
  if (estimate.alternative)
    Fill(*estimate.alternative, message->mutable_alternative());
  message->set_alternative_sentence(estimate.alternative_sentence);
}

}  // namespace carme::backend
