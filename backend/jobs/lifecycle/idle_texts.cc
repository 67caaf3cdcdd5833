#include "backend/jobs/lifecycle/idle_texts.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/model/job_time.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxNamedGpus = 16;
constexpr size_t kMaxNamedNodes = 16;

DisplayText NodeNames(const std::map<std::string, absl::Time>& rows) {
  std::vector<std::string> nodes;
  for (const auto& [node, warned_at] : rows) nodes.push_back(node);
  const auto end = nodes.begin() +
                   static_cast<int64_t>(std::min(nodes.size(), kMaxNamedNodes));
  const std::string names = absl::StrJoin(nodes.begin(), end, ", ");
  if (nodes.size() <= kMaxNamedNodes) return names;
  return MakeText(job_lifecycle_messages::kAndMoreNodes,
                  {{"nodes", names}, {"more", nodes.size() - kMaxNamedNodes}});
}

}  // namespace

// "n1: 0, 1; n2: 0", "n1: 0, 1 and 14 more".
DisplayText GpuNames(const std::vector<JobGpu>& gpus) {
  std::string names;
  std::string node;
  for (size_t i = 0; i < gpus.size() && i < kMaxNamedGpus; ++i) {
    if (gpus[i].node == node) {
      absl::StrAppend(&names, ", ", gpus[i].gpu);
      continue;
    }
    node = gpus[i].node;
    absl::StrAppend(&names, names.empty() ? "" : "; ", node, ": ", gpus[i].gpu);
  }
  if (gpus.size() <= kMaxNamedGpus) return names;
  return MakeText(job_lifecycle_messages::kAndMoreGpus,
                  {{"gpus", names}, {"more", gpus.size() - kMaxNamedGpus}});
}

DisplayText WarningText(const Job& job, const IdleTimes& times,
                        absl::Duration idle, const std::vector<JobGpu>& gpus) {
  const bool stops = times.stop > absl::ZeroDuration();
  const TextTemplate& text =
      gpus.empty() ? (stops ? job_lifecycle_messages::kIdleAndStopped
                            : job_lifecycle_messages::kIdle)
                   : (stops ? job_lifecycle_messages::kGpusIdleAndStopped
                            : job_lifecycle_messages::kGpusIdle);
  return MakeText(text, {{"job", job.spec.name},
                         {"idle", DurationText(idle)},
                         {"time", DurationText(times.stop)},
                         {"gpus", GpuNames(gpus)}});
}

DisplayText StopReason(absl::Time since, absl::Duration idle,
                       const std::vector<JobGpu>& gpus) {
  if (gpus.empty()) {
    return MakeText(job_lifecycle_messages::kIdleReason,
                    {{"idle", DurationText(idle)}});
  }
  return MakeText(job_lifecycle_messages::kGpusIdleReason,
                  {{"gpus", GpuNames(gpus)},
                   {"since", absl::FormatTime("%Y-%m-%d %H:%M UTC", since,
                                              absl::UTCTimeZone())}});
}

DisplayText NodesWarningText(const Job& job, const IdleTimes& times,
                             const IdleNodeGroup& idle) {
  return MakeText(job_lifecycle_messages::kNodesIdleAndReturned,
                  {{"job", job.spec.name},
                   {"idle", DurationText(idle.idle)},
                   {"time", DurationText(times.stop)},
                   {"gpus", GpuNames(idle.gpus)},
                   {"nodes", NodeNames(idle.nodes)}});
}

DisplayText NodesReturnedText(const Job& job, const IdleNodeGroup& idle) {
  return MakeText(job_lifecycle_messages::kNodesReturned,
                  {{"job", job.spec.name},
                   {"idle", DurationText(idle.idle)},
                   {"gpus", GpuNames(idle.gpus)},
                   {"nodes", NodeNames(idle.nodes)}});
}

}  // namespace carme::backend
