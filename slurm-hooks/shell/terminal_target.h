// Parses which terminal a request addresses, and from which position.
#ifndef CARME_SLURM_HOOKS_SHELL_TERMINAL_TARGET_H_
#define CARME_SLURM_HOOKS_SHELL_TERMINAL_TARGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carme::shell {

struct TerminalTarget {
  std::string name;              // 1 to 32 of [a-z0-9-]
  std::optional<uint64_t> from;  // number of the first missing byte
};

// Returns whether the path is below /terminals/.
bool IsTerminalPath(std::string_view target);

// Returns nullopt unless the path is /terminals/NAME or /terminals/NAME?from=N.
std::optional<TerminalTarget> ParseTerminalTarget(std::string_view target);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINAL_TARGET_H_
