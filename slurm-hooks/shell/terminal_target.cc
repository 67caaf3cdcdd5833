#include "slurm-hooks/shell/terminal_target.h"

#include "common/name_rules.h"
#include "slurm-hooks/shell/control_message.h"

namespace carme::shell {
namespace {

constexpr std::string_view kPrefix = "/terminals/";
constexpr std::string_view kFrom = "from=";
constexpr NameRule kTerminalNameRule{
    .characters = kLowercase | kDecimalDigits | "-", .max_bytes = 32};

}  // namespace

bool IsTerminalPath(std::string_view target) {
  return target.starts_with(kPrefix);
}

std::optional<TerminalTarget> ParseTerminalTarget(std::string_view target) {
  if (!IsTerminalPath(target)) return std::nullopt;
  target.remove_prefix(kPrefix.size());
  const size_t question = target.find('?');
  const std::string_view name = target.substr(0, question);
  if (!kTerminalNameRule.Allows(name)) return std::nullopt;
  TerminalTarget found{.name = std::string(name), .from = std::nullopt};
  if (question == target.npos) return found;
  const std::string_view query = target.substr(question + 1);
  if (!query.starts_with(kFrom)) return std::nullopt;
  found.from = ParseByteNumber(query.substr(kFrom.size()));
  if (!found.from.has_value()) return std::nullopt;
  return found;
}

}  // namespace carme::shell
