#include "slurm-hooks/agent/multi_node/slurm_allocation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/command_output.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/nodes/node_list.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxOutput = 1 << 20;
constexpr size_t kMaxShown = 100;
constexpr char kJobIdVariable[] = "SLURM_JOB_ID=";
constexpr std::string_view kSrunError = "srun: error: ";
// In these a job has the nodes that squeue lists. While a job completes, squeue
// lists those that are not done yet.
constexpr std::string_view kStatesWithNodes[] = {
    "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING"};

std::string JobOf(const JobFacts& facts) {
  for (const std::string& entry : facts.variables) {
    if (entry.starts_with(kJobIdVariable)) {
      return entry.substr(sizeof kJobIdVariable - 1);
    }
  }
  return "";
}

// squeue lies beside srun.
std::vector<std::string> SqueueCommand(const std::string& srun,
                                       const std::string& job) {
  return {absl::StrCat(srun.substr(0, srun.rfind('/') + 1), "squeue"),
          "--noheader", "--states=all", absl::StrCat("--jobs=", job),
          "--format=%A %T %N"};
}

// Without the user's settings of squeue, some of which hide jobs.
std::vector<std::string> WithoutSqueueSettings(
    std::vector<std::string> variables) {
  std::erase_if(variables, [](const std::string& entry) {
    return entry.starts_with("SQUEUE_") || entry.starts_with("SLURM_CLUSTERS=");
  });
  return variables;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseAllocation(
    std::string_view output, std::string_view job) {
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(output.data(), output.size()), '\n')) {
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 2 || words[0] != job) continue;
    if (std::find(std::begin(kStatesWithNodes), std::end(kStatesWithNodes),
                  words[1]) == std::end(kStatesWithNodes)) {
      return std::vector<std::string>();
    }
    auto nodes = node::ExpandNodeList(words.size() < 3 ? "" : words[2]);
    if (nodes.has_value()) return *std::move(nodes);
    break;
  }
  return MakePlainError(agent_multi_node_messages::kAllocationUnknown,
                        {{"answer", Readable(output, kMaxShown)}});
}

std::vector<std::string> NodesOfEndedTasks(std::string_view line) {
  if (!line.starts_with(kSrunError)) return {};
  line.remove_prefix(kSrunError.size());
  const size_t end = std::min(line.find(": task "), line.find(": tasks "));
  if (end == std::string_view::npos) return {};
  return node::ExpandNodeList(line.substr(0, end))
      .value_or(std::vector<std::string>());
}

net::Task<absl::StatusOr<std::vector<std::string>>> QueryAllocation(
    net::EventLoop& loop, const JobFacts& facts) {
  const std::string job = JobOf(facts);
  const absl::StatusOr<std::string> output =
      co_await RunForOutput(loop, SqueueCommand(facts.environment.srun, job),
                            WithoutSqueueSettings(facts.variables), kMaxOutput);
  if (!output.ok()) co_return output.status();
  co_return ParseAllocation(*output, job);
}

}  // namespace carme::agent
