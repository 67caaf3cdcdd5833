// The command line of `carme vet`, which is also installed as `vetnode`.
#ifndef CARME_SLURM_HOOKS_VET_CLI_OPTIONS_H_
#define CARME_SLURM_HOOKS_VET_CLI_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme::vet {

// The exit codes of `carme vet`. With a command, its exit code if it started.
inline constexpr int kExitHealthy = 0;
inline constexpr int kExitUnhealthy = 1;
inline constexpr int kExitConfiguration = 2;
inline constexpr int kExitInfrastructure = 3;
inline constexpr int kExitTooFewNodes = 4;

struct Options {
  std::string config_path;  // empty: the site's or the built-in one
  bool is_setup = false;    // `setup`: check the configuration, install nothing
  bool check_config = false;
  bool json = false;
  bool grid = false;
  bool verbose = false;
  std::optional<absl::Duration> timeout;  // of each evaluation
  absl::Duration connect_timeout = absl::Seconds(60);
  std::string learn_path;     // empty: learn nothing
  bool is_worker = false;     // started by the step of --require
  bool report = false;        // to the backend
  bool if_requested = false;  // by the backend, of root; implies `report`
  // In a Prolog: its job, then the exit code is 0 if the report is kept.
  uint32_t prolog_job = 0;
  std::string node_config;  // agent.toml; empty: the usual one
  // --require N and what follows.
  size_t required = 0;  // 0: vet and report
  std::optional<size_t> spare;
  bool requeue = false;
  std::vector<std::string> command;
};

// Ends the process after --version and --help (0) and after an error (2).
// Called as `vetnode`, it takes `setup CONFIG` and `diagnose CONFIG` only.
Options ParseOptions(int argc, char** argv);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_OPTIONS_H_
