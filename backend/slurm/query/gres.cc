#include "backend/slurm/query/gres.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"

namespace carme::backend {
namespace {

constexpr std::string_view kGpu = "gpu";
constexpr std::string_view kNoType = "(null)";
constexpr std::string_view kNoConsume = "no_consume";
constexpr std::string_view kUnits = "KMGTP";
constexpr int64_t kMaxGpus = 65535;

// Splits at commas outside parentheses, because of "(IDX:0,2-3)".
std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Sockets or indices follow the count in parentheses. "(null)" is a type, so
// only parentheses at the end are removed.
std::string_view WithoutDetail(std::string_view part) {
  if (!part.ends_with(')')) return part;
  return part.substr(0, part.rfind('('));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "4", "1K"; a unit is a power of 1024.
std::optional<int> ParseCount(std::string_view text) {
  int64_t factor = 1;
  if (!text.empty() && !IsDigit(text.back())) {
    const char upper = static_cast<char>(text.back() & ~0x20);
    const size_t unit = kUnits.find(upper);
    if (unit == std::string_view::npos) return std::nullopt;
    for (size_t i = 0; i <= unit; ++i) factor *= 1024;
    text.remove_suffix(1);
  }
  int64_t count = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit) ||
      !absl::SimpleAtoi(std::string(text), &count) ||
      count > kMaxGpus / factor) {
    return std::nullopt;
  }
  return static_cast<int>(count * factor);
}

bool IsType(std::string_view word) {
  return !word.empty() && word != kNoConsume &&
         word.find_first_of("():") == std::string_view::npos &&
         std::all_of(word.begin(), word.end(), [](char c) { return c > ' '; });
}

// "gpu", "gpu:TYPE", "gpu:COUNT" or "gpu:TYPE:COUNT", with an optional
// "no_consume" before the count.
std::optional<std::pair<std::string, int>> ParseGpu(std::string_view part) {
  part = WithoutDetail(part);
  if (!part.starts_with(kGpu)) return std::nullopt;
  part.remove_prefix(kGpu.size());
  if (part.empty()) return std::pair(std::string(kGpu), 1);
  if (part[0] != ':') return std::nullopt;
  part.remove_prefix(1);
  const size_t colon = part.rfind(':');
  const bool alone = colon == std::string_view::npos;
  const std::string_view last = alone ? part : part.substr(colon + 1);
  // As Slurm reads it: a type without a count does not start with a digit.
  if (alone && !part.empty() && !IsDigit(part[0]) && IsType(part)) {
    return std::pair(std::string(part), 1);
  }
  const std::optional<int> count = ParseCount(last);
  if (!count.has_value()) return std::nullopt;
  std::string_view type = alone ? "" : part.substr(0, colon);
  if (type == kNoConsume) type = "";
  if (type.ends_with(kNoConsume) && type.size() > kNoConsume.size() &&
      type[type.size() - kNoConsume.size() - 1] == ':') {
    type.remove_suffix(kNoConsume.size() + 1);
  }
  if (type.empty() || type == kNoType) type = kGpu;
  if (!IsType(type)) return std::nullopt;
  return std::pair(std::string(type), *count);
}

}  // namespace

std::map<std::string, int> ParseGpus(std::string_view gres) {
  std::map<std::string, int> gpus;
  for (const std::string_view part : SplitAtCommas(gres)) {
    const auto gpu = ParseGpu(part);
    if (!gpu.has_value()) continue;
    int& sum = gpus[gpu->first];
    sum = static_cast<int>(std::min<int64_t>(kMaxGpus, sum + gpu->second));
  }
  return gpus;
}

}  // namespace carme::backend
