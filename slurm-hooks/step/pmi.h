// What the tasks of a step need of PMI, by which MPI programs find each other.
// slurmstepd runs the server, on the node; the client is a library of the
// image.
//
// Without Abseil, because the SPANK plugin links it.
#ifndef CARME_SLURM_HOOKS_STEP_PMI_H_
#define CARME_SLURM_HOOKS_STEP_PMI_H_

#include <functional>
#include <optional>
#include <string>

namespace carme {

// Set to "off", it suppresses the warning.
inline constexpr char kMpiWarningVariable[] = "CARME_MPI_WARNING";

// For PMIx clients: the files by which a server of version 4 shares data are on
// the node, not in the environment. A client of version 4 prints errors before
// it uses its socket instead, unless this is set.
inline constexpr char kPmixClientVariable[] = "PMIX_MCA_gds";
inline constexpr char kPmixClientValue[] = "hash";

// A variable of the task; nothing: not set.
using TaskVariables =
    std::function<std::optional<std::string>(const char* name)>;

// Without a server OpenMPI starts each task as an MPI program of one rank, and
// gives no error. The warning, for the first task of a step of several tasks
// that has no PMIx, PMI-2 or PMI-1 server; for all others nothing. One line
// without "warning:".
std::optional<std::string> MpiWarning(const TaskVariables& variable);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_STEP_PMI_H_
