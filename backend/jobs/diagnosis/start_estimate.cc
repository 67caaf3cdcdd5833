#include "backend/jobs/diagnosis/start_estimate.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "backend/jobs/diagnosis/alternative_sizes.h"
#include "backend/jobs/diagnosis/messages.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/policy/cluster/shortage.h"
#include "carme/v1/jobs.pb.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {
namespace {

// Slurm's clock and ours may differ, and it counts in seconds.
constexpr absl::Duration kSoon = absl::Seconds(30);
constexpr size_t kMaxNamed = 4;

// Empty: not known.
DisplayText NamesOf(const std::vector<std::string>& nodes) {
  if (nodes.size() > kMaxNamed) {
    return MakeText(job_diagnosis_messages::kManyNodes,
                    {{"nodes", nodes.size()}});
  }
  return absl::StrJoin(nodes, ", ");
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

DisplayText Later(const StartEstimateSummary& estimate, const JobSpec& spec,
                  const SlurmSnapshot& cluster, absl::Time now) {
  const std::string time = RoughTime(*estimate.starts_at - now);
  DisplayText sentence =
      estimate.nodes.empty()
          ? MakeText(job_diagnosis_messages::kStartsIn, {{"time", time}})
          : MakeText(job_diagnosis_messages::kStartsInOn,
                     {{"time", time}, {"nodes", NamesOf(estimate.nodes)}});
  const DisplayText shortage = Shortage(spec, cluster);
  if (!shortage.empty()) {
    sentence = MakeText(job_diagnosis_messages::kShortNow,
                        {{"sentence", sentence}, {"shortage", shortage}});
  }
  const int jobs = WaitingWith(cluster, spec.partition);
  if (jobs == 1) {
    sentence = MakeText(job_diagnosis_messages::kOneJobWaits,
                        {{"sentence", sentence}});
  } else if (jobs > 1) {
    sentence = MakeText(job_diagnosis_messages::kJobsWait,
                        {{"sentence", sentence}, {"jobs", jobs}});
  }
  return MakeText(job_diagnosis_messages::kEndOfSentence,
                  {{"sentence", sentence}});
}

DisplayText Now(const StartEstimateSummary& estimate) {
  if (estimate.nodes.empty()) {
    return MakeText(job_diagnosis_messages::kStartsNow);
  }
  return MakeText(job_diagnosis_messages::kStartsNowOn,
                  {{"nodes", NamesOf(estimate.nodes)}});
}

// There is room, behind others that may go first.
DisplayText Behind(const StartEstimateSummary& estimate, int jobs) {
  if (estimate.nodes.empty()) {
    return jobs == 1 ? MakeText(job_diagnosis_messages::kFreeBehindOneJob)
                     : MakeText(job_diagnosis_messages::kFreeBehindJobs,
                                {{"jobs", jobs}});
  }
  const DisplayText nodes = NamesOf(estimate.nodes);
  return jobs == 1 ? MakeText(job_diagnosis_messages::kFreeOnBehindOneJob,
                              {{"nodes", nodes}})
                   : MakeText(job_diagnosis_messages::kFreeOnBehindJobs,
                              {{"nodes", nodes}, {"jobs", jobs}});
}

// For a job without a GPU type: the GPU types of the nodes that Slurm would
// choose, unless all are the same.
DisplayText MixedGpus(const JobSpec& spec,
                      const std::vector<std::string>& nodes,
                      const SlurmSnapshot& cluster) {
  if (spec.gpus_per_node == 0 || !spec.gpu_type.empty() || nodes.size() < 2) {
    return {};
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
  if (by_node.size() < 2) return {};
  return MakeText(job_diagnosis_messages::kMixedGpus,
                  {{"types", absl::StrJoin(types, ", ")}});
}

DisplayText WithNote(const DisplayText& sentence, const DisplayText& note) {
  if (note.empty()) return sentence;
  return MakeText(job_diagnosis_messages::kWithNote,
                  {{"sentence", sentence}, {"note", note}});
}

DisplayText Problem(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return MakeText(job_diagnosis_messages::kTooManyEstimates);
  }
  return MakeText(job_diagnosis_messages::kNotEstimated);
}

}  // namespace

StartEstimateSummary EstimateStart(
    const JobSpec& spec, const absl::StatusOr<SlurmStartEstimate>& answer,
    const SlurmSnapshot& cluster, absl::Time now) {
  StartEstimateSummary estimate;
  if (absl::IsFailedPrecondition(answer.status())) {
    const DisplayText shortage = Shortage(spec, cluster);
    estimate.sentence =
        shortage.empty()
            ? MakeText(job_diagnosis_messages::kCannotEstimate,
                       {{"cause", answer.status().message()}})
            : MakeText(job_diagnosis_messages::kCannotEstimateShort,
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
    estimate.sentence = WithNote(Later(estimate, spec, cluster, now),
                                 MixedGpus(spec, estimate.nodes, cluster));
    return estimate;
  }
  const int waiting = WaitingWith(cluster, spec.partition);
  estimate.fits_now = true;
  estimate.now = waiting == 0;
  estimate.sentence =
      WithNote(estimate.now ? Now(estimate) : Behind(estimate, waiting),
               MixedGpus(spec, estimate.nodes, cluster));
  return estimate;
}

void Fill(const StartEstimateSummary& estimate, v1::StartEstimate* message) {
  if (!estimate.problem.empty()) {
    message->set_problem(estimate.problem.text);
    FillTextCode(estimate.problem, &v1::StartEstimate::mutable_problem_code,
                 message);
    return;
  }
  if (estimate.starts_at) {
    Fill(*estimate.starts_at, message->mutable_starts_at());
  }
  message->set_now(estimate.now);
  for (const std::string& node : estimate.nodes) message->add_nodes(node);
  message->set_sentence(estimate.sentence.text);
  FillTextCode(estimate.sentence, &v1::StartEstimate::mutable_sentence_code,
               message);
  if (!estimate.alternative) return;
  Fill(*estimate.alternative, message->mutable_alternative());
  message->set_alternative_sentence(estimate.alternative_sentence.text);
  FillTextCode(estimate.alternative_sentence,
               &v1::StartEstimate::mutable_alternative_sentence_code, message);
}

}  // namespace carme::backend
