// `--environment` in srun, sbatch and salloc, before anything is submitted:
// `carme edf render` renders the environment with the caller's variables,
// directory and rights, so that nodes never read a user's file.
//
// Does not use Abseil, because it is loaded into Slurm's programs. README.md
// explains why rendering runs in another process.
#ifndef CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_
#define CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_

#include <cstddef>
#include <optional>
#include <string>

namespace carme {

// Transports the rendered environment to the nodes. Slurm exports variables
// that begin with SLURM_ even with --export=NONE.
inline constexpr char kExpandedVariable[] = "SLURM_EDF_EXPANDED";
// Selects an environment if there is no option.
inline constexpr char kChoiceVariable[] = "CARME_ENVIRONMENT";

// exec(2) limits a variable to 128 KiB, and jobs have other variables.
inline constexpr size_t kMaxExpandedBytes = 64 << 10;

// Stores the environment that `option`, or else CARME_ENVIRONMENT, names in
// SLURM_EDF_EXPANDED of this process, and unsets CARME_ENVIRONMENT, so that
// programs of the job get the same environment without a look-up on a node. An
// empty option means no environment. With neither, an environment that this
// command itself runs in is kept. `carme` is the path of the program that
// renders; it prints problems on stderr. Returns the reason why the command
// must stop, or nullopt. Blocks; not thread-safe.
std::optional<std::string> PassEnvironmentOn(
    const std::string& carme, const std::optional<std::string>& option);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_
