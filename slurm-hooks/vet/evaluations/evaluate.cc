#include <map>
#include <string_view>

#include "slurm-hooks/vet/evaluations/evaluations.h"

namespace carme::vet {
namespace {

Outcome Cpu(const Evaluation& evaluation) { return EvaluateCpu(evaluation); }
Outcome Ecc(const Evaluation& evaluation) { return EvaluateEcc(evaluation); }
Outcome Memory(const Evaluation& evaluation) {
  return EvaluateMemory(evaluation);
}

}  // namespace

Outcome Evaluate(const Evaluation& evaluation) {
  static const std::map<std::string_view, Outcome (*)(const Evaluation&)>
      kFunctions = {
          {"command", EvaluateCommand},
          {"compute", EvaluateCompute},
          {"cpu", Cpu},
          {"dns", EvaluateDns},
          {"ecc", Ecc},
          {"env", EvaluateEnvironment},
          {"filesystem", EvaluateFilesystem},
          {"gpu", EvaluateGpu},
          {"gpu_compute", EvaluateGpuCompute},
          {"image", EvaluateImage},
          {"memory", Memory},
          {"munge", EvaluateMunge},
          {"nccl", EvaluateNccl},
          {"random", EvaluateRandom},
          {"tcp", EvaluateTcp},
          {"user", EvaluateUser},
      };
  const auto found = kFunctions.find(evaluation.type->name);
  if (found == kFunctions.end()) {
    return Outcome::Error("no evaluation of a single node");
  }
  return found->second(evaluation);
}

}  // namespace carme::vet
