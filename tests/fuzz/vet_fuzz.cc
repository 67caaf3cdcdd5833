// What carme vet reads: configurations of users, baselines, Slurm's lists.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "slurm-hooks/nodes/node_list.h"
#include "slurm-hooks/vet/cli/slurm_job.h"
#include "slurm-hooks/vet/config/baseline.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/config/vet_config.h"

namespace carme::vet {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckQuantity(std::optional<double> value) {
  Check(!value.has_value() || (std::isfinite(*value) && *value >= 0));
}

}  // namespace
}  // namespace carme::vet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carme::vet;  // NOLINT: the fuzzer wants a global function
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = ParseVetConfig(text, "f");
  if (config.ok()) {
    Check(!config->evaluations.empty());
    for (const Evaluation& evaluation : config->evaluations) {
      Check(evaluation.type != nullptr && !evaluation.name.empty());
      Check(evaluation.timeout > absl::ZeroDuration());
    }
  } else {
    Check(config.status().message().substr(0, 2) == "f:");
  }
  const auto baseline = ParseBaseline(text, "f");
  // what is written can be read back
  if (baseline.ok()) {
    const auto again = ParseBaseline(FormatBaseline(*baseline), "f");
    Check(!again.ok() || again->size() == baseline->size());
  }
  const auto nodes = ExpandNodeList(text);
  Check(!nodes.ok() ||
        (!nodes->empty() && nodes->size() <= carme::node::kMaxListedNodes));
  const auto counts = carme::node::ExpandCounts(text);
  Check(!counts.has_value() || counts->size() <= carme::node::kMaxListedNodes);
  CheckQuantity(ParseBytes(text));
  CheckQuantity(ParseRate(text));
  CheckQuantity(ParseSeconds(text));
  return 0;
}
