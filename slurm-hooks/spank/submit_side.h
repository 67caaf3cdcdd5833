// What srun, sbatch and salloc do with `--environment`, before anything is
// submitted: `carme edf render` renders the environment with the caller's
// variables, directory and rights, so that no node has to read a user's file.
//
// Without Abseil and its statuses, because it is loaded into Slurm's programs;
// README.md says why the rendering is another process.
#ifndef CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_
#define CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_

#include <cstddef>
#include <optional>
#include <string>

namespace carme {

// Carries the rendered environment to the nodes. Slurm hands on what begins
// with SLURM_ even with --export=NONE.
inline constexpr char kExpandedVariable[] = "SLURM_EDF_EXPANDED";
// Chooses an environment where no option does.
inline constexpr char kChoiceVariable[] = "CARME_ENVIRONMENT";

// exec(2) takes no variable of 128 KiB, and a job has others.
inline constexpr size_t kMaxExpandedBytes = 64 << 10;

// Puts the environment that `option`, or else CARME_ENVIRONMENT, names into
// SLURM_EDF_EXPANDED of this process, which the command is about to submit,
// and takes CARME_ENVIRONMENT away, so that what the job starts has the same
// environment and does not look for its name on a node. An empty option is no
// environment. With neither, an environment that this command itself was
// started in stays. `carme` is the path of that program, which tells on stderr
// what is wrong with an environment. Returns nothing, or why the command must
// not go on. Blocks; not thread-safe.
std::optional<std::string> PassEnvironmentOn(
    const std::string& carme, const std::optional<std::string>& option);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_SUBMIT_SIDE_H_
