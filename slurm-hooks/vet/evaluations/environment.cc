#include <cstdlib>

#include "common/printable.h"
#include "common/random.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr size_t kMaxValueShown = 200;

}  // namespace

Outcome EvaluateEnvironment(const Evaluation& evaluation) {
  Outcome outcome;
  double missing = 0;
  double mismatched = 0;
  std::string problems;
  for (const auto& [name, expected] : evaluation.parameters.Map("expected")) {
    const char* const value = std::getenv(name.c_str());
    if (value != nullptr && (!expected.has_value() || *expected == value)) {
      continue;
    }
    if (!problems.empty()) problems += "; ";
    if (value == nullptr) {
      ++missing;
      problems += FormatMessage(evaluation_messages::kVariableMissing,
                                {{"name", name}});
    } else {
      ++mismatched;
      problems += FormatMessage(evaluation_messages::kVariableDiffers,
                                {{"name", name},
                                 {"value", Readable(value, kMaxValueShown)},
                                 {"expected", *expected}});
    }
  }
  if (!problems.empty()) outcome = Outcome::Failed(problems);
  outcome.metrics = {{"missing", missing}, {"mismatched", mismatched}};
  return outcome;
}

Outcome EvaluateRandom(const Evaluation&) {
  if (static_cast<unsigned char>(RandomBytes(1)[0]) % 2 == 0) return {};
  return Outcome::Failed(FormatMessage(evaluation_messages::kRandom));
}

}  // namespace carme::vet
