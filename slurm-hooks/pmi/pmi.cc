#include "slurm-hooks/pmi/pmi.h"

#include <cstdlib>

namespace carme {

std::optional<std::string> MpiWarning(const TaskVariables& variable) {
  for (const char* const server : {"PMIX_RANK", "PMI_FD", "PMI_RANK"}) {
    if (variable(server)) return std::nullopt;
  }
  const std::string tasks = variable("SLURM_STEP_NUM_TASKS").value_or("");
  if (std::strtol(tasks.c_str(), nullptr, 10) < 2 ||
      variable("SLURM_PROCID") != "0" ||
      variable(kMpiWarningVariable) == "off") {
    return std::nullopt;
  }
  return "this step of " + tasks +
         " tasks has no PMIx server: an MPI program in it would run as " +
         tasks +
         " programs of one rank each; use srun --mpi=pmix or mpirun, or set " +
         kMpiWarningVariable + "=off if it does not use MPI";
}

}  // namespace carme
