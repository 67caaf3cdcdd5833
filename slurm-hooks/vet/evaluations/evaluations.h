// The evaluations of one node. Each blocks, may hang with the hardware that it
// tests, and starts threads or programs: call it in a process of its own.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_EVALUATIONS_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_EVALUATIONS_H_

#include <map>
#include <string>

#include "slurm-hooks/vet/config/vet_config.h"

namespace carme::vet {

struct Outcome {
  enum class Kind {
    kPassed,
    kFailed,   // what was found is wrong
    kSkipped,  // does not apply to this node
    kError,    // could not run
  };
  Kind kind = Kind::kPassed;
  std::string reason;                     // unless it passed
  std::map<std::string, double> metrics;  // what was measured

  static Outcome Failed(std::string reason) {
    return {Kind::kFailed, std::move(reason), {}};
  }
  static Outcome Skipped(std::string reason) {
    return {Kind::kSkipped, std::move(reason), {}};
  }
  static Outcome Error(std::string reason) {
    return {Kind::kError, std::move(reason), {}};
  }
};

// Runs an evaluation of Place::kNode.
Outcome Evaluate(const Evaluation& evaluation);

// The CPU's model, the number of CPUs and the memory in GiB: nodes of equal
// type should be equally fast.
std::string NodeType();

// One function for each type. `root` is the root of the file system with /proc
// and /sys.
Outcome EvaluateCommand(const Evaluation& evaluation);
Outcome EvaluateCompute(const Evaluation& evaluation);
Outcome EvaluateCpu(const Evaluation& evaluation, const std::string& root = "");
Outcome EvaluateDns(const Evaluation& evaluation);
Outcome EvaluateEcc(const Evaluation& evaluation, const std::string& root = "");
Outcome EvaluateEnvironment(const Evaluation& evaluation);
Outcome EvaluateFilesystem(const Evaluation& evaluation);
Outcome EvaluateGpu(const Evaluation& evaluation);
Outcome EvaluateGpuCompute(const Evaluation& evaluation);
Outcome EvaluateImage(const Evaluation& evaluation);
Outcome EvaluateMemory(const Evaluation& evaluation,
                       const std::string& root = "");
Outcome EvaluateMunge(const Evaluation& evaluation);
Outcome EvaluateNccl(const Evaluation& evaluation);
Outcome EvaluateRandom(const Evaluation& evaluation);
Outcome EvaluateTcp(const Evaluation& evaluation);
Outcome EvaluateUser(const Evaluation& evaluation);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_EVALUATIONS_H_
