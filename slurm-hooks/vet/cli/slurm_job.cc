#include "slurm-hooks/vet/cli/slurm_job.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/vet/cli/messages.h"

namespace carme::vet {
namespace {

constexpr size_t kMaxShown = 100;

absl::StatusOr<uint64_t> NumberOf(const ReadVariable& read, const char* name) {
  const std::string value = read(name).value_or("");
  uint64_t number = 0;
  if (absl::SimpleAtoi(value, &number)) return number;
  return MakePlainError(vet_messages::kVariable,
                        {{"name", name},
                         {"value", Readable(value, kMaxShown)},
                         {"expected", "a number from Slurm"}});
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandNodeList(std::string_view list) {
  auto nodes = node::ExpandNodeList(list);
  if (nodes.has_value()) return *std::move(nodes);
  return MakePlainError(vet_messages::kNodeList,
                        {{"list", Readable(list, kMaxShown)}});
}

absl::StatusOr<std::optional<SlurmStep>> ReadSlurmStep(
    const ReadVariable& read) {
  const auto job = read("SLURM_JOB_ID");
  const auto id = read("SLURM_STEP_ID");
  const auto list = read("SLURM_STEP_NODELIST");
  // the script of a batch job is in a step without a list
  if (!job.has_value() || !id.has_value() || !list.has_value()) {
    return std::nullopt;
  }
  SlurmStep step;
  step.run = absl::StrCat(*job, ".", *id);
  ASSIGN_OR_RETURN(step.nodes, ExpandNodeList(*list));
  ASSIGN_OR_RETURN(step.rank, NumberOf(read, "SLURM_NODEID"));
  ASSIGN_OR_RETURN(const uint64_t local, NumberOf(read, "SLURM_LOCALID"));
  step.is_first_task = local == 0;
  if (step.rank >= step.nodes.size()) {
    return MakePlainError(
        vet_messages::kVariable,
        {{"name", "SLURM_NODEID"},
         {"value", step.rank},
         {"expected", absl::StrCat("below ", step.nodes.size())}});
  }
  return step;
}

}  // namespace carme::vet
