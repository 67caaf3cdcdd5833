// Variables that tasks of a step need for PMI, by which MPI programs find each
// other. slurmstepd runs the server on the node; the client is a library in the
// image.
//
// Does not use Abseil, because the SPANK plugin links it.
#ifndef CARME_SLURM_HOOKS_PMI_PMI_H_
#define CARME_SLURM_HOOKS_PMI_PMI_H_

#include <functional>
#include <optional>
#include <string>

namespace carme {

// The value "off" suppresses the warning.
inline constexpr char kMpiWarningVariable[] = "CARME_MPI_WARNING";

// For PMIx clients: a server of version 4 shares data by files on the node,
// which the environment does not have. Without this variable a client of
// version 4 prints errors before it falls back to its socket.
inline constexpr char kPmixClientVariable[] = "PMIX_MCA_gds";
inline constexpr char kPmixClientValue[] = "hash";

// Returns a variable of the task; nullopt if it is not set.
using TaskVariables =
    std::function<std::optional<std::string>(const char* name)>;

// Returns a warning of one line, without "warning:", for the first task of a
// step with several tasks and no PMIx, PMI-2 or PMI-1 server; otherwise
// nullopt. Without a server OpenMPI starts each task as a program with one
// rank, without an error.
std::optional<std::string> MpiWarning(const TaskVariables& variable);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_PMI_PMI_H_
