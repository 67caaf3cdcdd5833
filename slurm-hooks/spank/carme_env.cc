// The SPANK plugin: `--environment` for srun, sbatch and salloc. Slurm loads it
// into those commands, and on nodes into slurmd and each step. Only what
// spank.map names is visible outside, and no exception leaves a function.
extern "C" {
#include <slurm/spank.h>

// SPANK_PLUGIN defines constants, which C++ would keep in this file.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(carme_env, 1)
}

#include <optional>
#include <string>

#include "slurm-hooks/spank/submit_side.h"

namespace carme {
namespace {

constexpr int kRefused = -1;

// What the command line chose, the last of several. Plain C holds it, because
// SPANK gives an option's callback nothing of the plugin's own.
std::optional<std::string>& Option() {
  static auto* const option = new std::optional<std::string>;
  return *option;
}

template <typename Act>
int WithoutExceptions(Act act) noexcept {
  try {
    return act();
  } catch (...) {
    slurm_error("--environment: out of memory");
    return kRefused;
  }
}

int OnOption(int, const char* argument, int remote) {
  if (remote != 0) return ESPANK_SUCCESS;  // the submit side has dealt with it
  return WithoutExceptions([&] {
    Option() = argument == nullptr ? "" : argument;
    return ESPANK_SUCCESS;
  });
}

char environment_name[] = "environment";
char edf_name[] = "edf";
char argument_name[] = "ENVIRONMENT";
char usage[] =
    "run in this environment (EDF): a path, or a name in EDF_PATH, ~/.edf or "
    "/etc/edf; empty: in none";
char edf_usage[] = "the same as --environment";

spank_option options[] = {
    {environment_name, argument_name, usage, 1, 0, OnOption},
    {edf_name, argument_name, edf_usage, 1, 0, OnOption}};

int Register(spank_t spank) {
  for (spank_option& option : options) {
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS) {
      slurm_error("--%s cannot be registered", option.name);
      return kRefused;
    }
  }
  return ESPANK_SUCCESS;
}

bool OnSubmitSide() {
  const spank_context_t context = spank_context();
  return context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR;
}

// plugstack.conf names the command `carme` after the plugin.
int PassOn(int count, char** arguments) {
  const std::string carme = count == 1 ? arguments[0] : "";
  const std::optional<std::string> refusal = PassEnvironmentOn(carme, Option());
  if (!refusal) return ESPANK_SUCCESS;
  slurm_error("--environment: %s", refusal->c_str());
  return kRefused;
}

}  // namespace
}  // namespace carme

extern "C" int slurm_spank_init(spank_t spank, int, char**) {
  const bool in_step = spank_context() == S_CTX_REMOTE;
  return carme::OnSubmitSide() || in_step ? carme::Register(spank)
                                          : ESPANK_SUCCESS;
}

extern "C" int slurm_spank_init_post_opt(spank_t, int count, char** arguments) {
  if (!carme::OnSubmitSide()) return ESPANK_SUCCESS;
  return carme::WithoutExceptions(
      [&] { return carme::PassOn(count, arguments); });
}

// In the task, which is the user's already. Here and not earlier, because a
// step that fails before its tasks looks to slurmctld like a broken node,
// which it drains.
extern "C" int slurm_spank_task_init(spank_t spank, int, char**) {
  char first;
  const spank_err_t found =
      spank_getenv(spank, carme::kExpandedVariable, &first, sizeof first);
  if (found == ESPANK_ENV_NOEXIST) return ESPANK_SUCCESS;
  slurm_error("--environment: this node has no environment runtime");
  return carme::kRefused;
}
