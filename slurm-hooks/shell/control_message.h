// The text frames of a terminal's websocket: JSON in exactly one spelling,
// without blanks, the members in the order shown.
//
//   page → program   {"rows":24,"cols":80}   the window's size, each 1 to 1000
//                    {"seen":N}              every byte below number N is shown
//                    {"close":true}          hang the shell up
//   program → page   {"at":N,"until":M}      always first: the next byte has
//                                            number N; those below M are from
//                                            before the page came
//                    {"exit":CODE}           always last: how the shell ended
#ifndef CARME_SLURM_HOOKS_SHELL_CONTROL_MESSAGE_H_
#define CARME_SLURM_HOOKS_SHELL_CONTROL_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace carme::shell {

struct WindowSize {
  uint16_t rows = 24;
  uint16_t columns = 80;
};
struct Seen {
  uint64_t until = 0;
};
struct Close {};
using ControlMessage = std::variant<WindowSize, Seen, Close>;

// Returns nullopt for anything else than a message of the page.
std::optional<ControlMessage> ParseControlMessage(std::string_view text);

std::string AtMessage(uint64_t at, uint64_t until);
std::string ExitMessage(int exit_code);

// Parses digits, at most 2^53, the limit of numbers in the page.
std::optional<uint64_t> ParseByteNumber(std::string_view text);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_CONTROL_MESSAGE_H_
