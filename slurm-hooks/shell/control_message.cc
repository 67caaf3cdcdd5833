#include "slurm-hooks/shell/control_message.h"

#include <charconv>

#include "absl/strings/str_cat.h"

namespace carme::shell {
namespace {

constexpr uint64_t kMaxNumber = uint64_t{1} << 53;
constexpr uint64_t kMaxCells = 1000;

std::optional<uint16_t> ParseCells(std::string_view text) {
  const auto cells = ParseByteNumber(text);
  if (!cells.has_value() || *cells < 1 || *cells > kMaxCells) {
    return std::nullopt;
  }
  return static_cast<uint16_t>(*cells);
}

std::optional<ControlMessage> ParseWindowSize(std::string_view text) {
  constexpr std::string_view kBetween = ",\"cols\":";
  const size_t between = text.find(kBetween);
  if (between == std::string_view::npos) return std::nullopt;
  const auto rows = ParseCells(text.substr(0, between));
  const auto columns = ParseCells(text.substr(between + kBetween.size()));
  if (!rows.has_value() || !columns.has_value()) return std::nullopt;
  return WindowSize{*rows, *columns};
}

}  // namespace

std::optional<uint64_t> ParseByteNumber(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number > kMaxNumber) {
    return std::nullopt;
  }
  return number;
}

std::optional<ControlMessage> ParseControlMessage(std::string_view text) {
  constexpr std::string_view kRows = "{\"rows\":";
  constexpr std::string_view kSeen = "{\"seen\":";
  if (text == "{\"close\":true}") return Close{};
  if (!text.ends_with('}')) return std::nullopt;
  text.remove_suffix(1);
  if (text.starts_with(kRows)) {
    return ParseWindowSize(text.substr(kRows.size()));
  }
  if (!text.starts_with(kSeen)) return std::nullopt;
  const auto until = ParseByteNumber(text.substr(kSeen.size()));
  if (!until.has_value()) return std::nullopt;
  return Seen{*until};
}

std::string AtMessage(uint64_t at, uint64_t until) {
  return absl::StrCat("{\"at\":", at, ",\"until\":", until, "}");
}

std::string ExitMessage(int exit_code) {
  return absl::StrCat("{\"exit\":", exit_code, "}");
}

}  // namespace carme::shell
