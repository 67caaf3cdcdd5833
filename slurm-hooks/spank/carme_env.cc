// The SPANK plugin: `--environment` for srun, sbatch and salloc. Slurm loads it
// into those commands, and on nodes into slurmd and each step. Only what
// spank.map names is visible outside, and no exception leaves a function. On a
// node:
//
//   user_init             in slurmstepd, once per step, in the step's control
//                         groups: starts carme-env-mount as root, keeps the
//                         namespaces or the refusal; never fails
//   task_post_fork        in slurmstepd, root, for each task: moves the image
//                         servers into the first task's group
//   task_init_privileged  in the task, root: keeps the capabilities across the
//                         change of user
//   task_init             in the task, the user, in all control groups: setns,
//                         drops all capabilities, no_new_privs, changes
//                         directory, sets variables; or refuses
extern "C" {
#include <slurm/slurm.h>
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

#include "slurm-hooks/pmi/pmi.h"
#include "slurm-hooks/spank/node_side.h"
#include "slurm-hooks/spank/running_environment.h"
#include "slurm-hooks/spank/submit_side.h"

namespace carme {
namespace {

constexpr int kRefused = -1;
constexpr size_t kMaxPathBytes = 4095;
constexpr size_t kMaxVariableBytes = 64;

// The last --environment on the command line. Plain C data, because SPANK
// passes no user data to the callback of an option.
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

// plugstack.conf names two programs after the plugin: `carme`, and
// `carme-env-mount`, which hosts without steps may omit.
std::string Argument(int count, char** arguments, int which) {
  return which < count ? arguments[which] : "";
}

int PassOn(int count, char** arguments) {
  const std::string carme = Argument(count, arguments, 0);
  const std::optional<std::string> refusal = PassEnvironmentOn(carme, Option());
  if (!refusal) return ESPANK_SUCCESS;
  slurm_error("--environment: %s", refusal->c_str());
  return kRefused;
}

// The environment of this step on this node; nullopt: none. Forked tasks
// inherit it.
std::optional<MadeEnvironment>& Made() {
  static auto* const made = new std::optional<MadeEnvironment>;
  return *made;
}

// The variable that names the environment to join, if any.
std::optional<std::string>& Shared() {
  static auto* const shared = new std::optional<std::string>;
  return *shared;
}

// Returns a variable of the step; nullopt if it is not set.
std::optional<std::string> Variable(spank_t spank, const char* name, size_t max,
                                    bool* too_long) {
  std::string text(max + 1, '\0');
  const spank_err_t found =
      spank_getenv(spank, name, text.data(), static_cast<int>(text.size()));
  if (found == ESPANK_ENV_NOEXIST) return std::nullopt;
  *too_long = found != ESPANK_SUCCESS;
  text.resize(text.find('\0') == std::string::npos ? 0 : text.find('\0'));
  return text;
}

// The script of a batch job is on the node and in no image.
std::string BatchScript(spank_t spank) {
  uint32_t step = 0;
  int count = 0;
  char** arguments = nullptr;
  if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
      step != SLURM_BATCH_SCRIPT ||
      spank_get_item(spank, S_JOB_ARGV, &count, &arguments) != ESPANK_SUCCESS ||
      count < 1) {
    return "";
  }
  return arguments[0];
}

MadeEnvironment Make(spank_t spank, const std::string& program,
                     std::string edf) {
  MadeEnvironment none;
  if (program.empty()) {
    none.refusal =
        "this node makes no environments: expected the path of "
        "carme-env-mount in plugstack.conf";
    return none;
  }
  EnvironmentOrder order;
  order.program = program;
  order.edf = std::move(edf);
  if (spank_get_item(spank, S_JOB_UID, &order.uid) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_GID, &order.gid) != ESPANK_SUCCESS) {
    none.refusal = "Slurm does not say whose job this is";
    return none;
  }
  order.script = BatchScript(spank);
  return MakeEnvironment(order);
}

void MakeForStep(spank_t spank, int count, char** arguments) {
  bool too_long = false;
  std::optional<std::string> edf =
      Variable(spank, kExpandedVariable, kMaxExpandedBytes, &too_long);
  if (!edf) {
    // A path that is cut off is refused later, because it does not exist.
    Shared() = Variable(spank, kJoinVariable, kMaxPathBytes, &too_long);
    return;
  }
  if (too_long) {
    Made().emplace().refusal = "its text is longer than 64 KiB";
    return;
  }
  Made() = Make(spank, Argument(count, arguments, 1), std::move(*edf));
}

// Out of memory while the environment was created: no task may run without it.
bool& MustNotRun() {
  static bool must_not = false;
  return must_not;
}

void RememberFailure() { MustNotRun() = true; }

int Refuse(const std::string& why) {
  slurm_error("--environment: %s", why.c_str());
  return kRefused;
}

std::optional<std::string> TaskVariable(spank_t spank, const char* name) {
  bool too_long = false;
  return Variable(spank, name, kMaxVariableBytes, &too_long);
}

void PreparePmi(spank_t spank) {
  if (TaskVariable(spank, "PMIX_RANK")) {
    spank_setenv(spank, kPmixClientVariable, kPmixClientValue, 0);
  }
  const auto warning = MpiWarning(
      [spank](const char* name) { return TaskVariable(spank, name); });
  if (warning) slurm_spank_log("--environment: warning: %s", warning->c_str());
}

// After those of the user and of the image.
bool AddLibraries(spank_t spank, const std::string& directory) {
  constexpr char kName[] = "LD_LIBRARY_PATH";
  bool too_long = false;
  std::string path = Variable(spank, kName, kMaxExpandedBytes, &too_long)
                         .value_or(std::string());
  if (too_long) return false;
  if ((":" + path + ":").find(":" + directory + ":") != std::string::npos) {
    return true;
  }
  if (!path.empty()) path += ":";
  return spank_setenv(spank, kName, (path + directory).c_str(), 1) ==
         ESPANK_SUCCESS;
}

int Join(spank_t spank, const MadeEnvironment& made) {
  if (!made.refusal.empty()) return Refuse(made.refusal);
  if (const auto refusal = JoinEnvironment(made)) return Refuse(*refusal);
  for (const auto& [name, value] : made.variables) {
    if (!value) {
      spank_unsetenv(spank, name.c_str());
    } else if (spank_setenv(spank, name.c_str(), value->c_str(), 1) !=
               ESPANK_SUCCESS) {
      return Refuse("cannot set the variable \"" + name + "\"");
    }
  }
  if (!made.libraries.empty() && !AddLibraries(spank, made.libraries)) {
    return Refuse("cannot set the variable \"LD_LIBRARY_PATH\"");
  }
  // carme-join does the same for tasks of portal jobs.
  if (!Shared()) PreparePmi(spank);
  return ESPANK_SUCCESS;
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

// Runs in slurmstepd once per step, before its tasks. It never fails the step
// here: slurmctld would take the node for broken and drain it.
extern "C" int slurm_spank_user_init(spank_t spank, int count,
                                     char** arguments) {
  const int made = carme::WithoutExceptions([&] {
    carme::MakeForStep(spank, count, arguments);
    return ESPANK_SUCCESS;
  });
  if (made == ESPANK_SUCCESS) return made;
  carme::RememberFailure();
  return ESPANK_SUCCESS;
}

// Runs in each task while it is root. A failure shows when the task cannot
// join.
extern "C" int slurm_spank_task_init_privileged(spank_t, int, char**) {
  if ((carme::Made() && carme::Made()->mounts.valid()) || carme::Shared()) {
    carme::KeepRightToJoin();
  }
  return ESPANK_SUCCESS;
}

// Runs in slurmstepd for each task before it executes the user's command.
extern "C" int slurm_spank_task_post_fork(spank_t spank, int, char**) {
  if (!carme::Made() || carme::Made()->servers.empty()) return ESPANK_SUCCESS;
  return carme::WithoutExceptions([&] {
    pid_t task = 0;
    if (spank_get_item(spank, S_TASK_PID, &task) != ESPANK_SUCCESS ||
        !carme::EndServersWith(*carme::Made(), task)) {
      slurm_error(
          "--environment: cannot track the processes that use its image");
    }
    // the group of the first task suffices
    carme::Made()->servers.clear();
    return ESPANK_SUCCESS;
  });
}

// Runs in each task as the user, with its terminal and control groups, shortly
// before it executes the user's command.
extern "C" int slurm_spank_task_init(spank_t spank, int, char**) {
  if (carme::MustNotRun()) return carme::kRefused;
  if (!carme::Made() && !carme::Shared()) return ESPANK_SUCCESS;
  return carme::WithoutExceptions([&] {
    return carme::Made()
               ? carme::Join(spank, *carme::Made())
               : carme::Join(spank, carme::FindEnvironment(*carme::Shared()));
  });
}
