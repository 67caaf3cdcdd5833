#include "backend/slurm/gres.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"

namespace carme {
namespace {

constexpr std::string_view kGpu = "gpu";
constexpr std::string_view kNoType = "(null)";
constexpr int kMostGpus = 65535;

// At commas outside parentheses: "(IDX:0,2-3)" has some of its own.
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

// Behind the count, in parentheses, stand sockets or indices. "(null)" is a
// type, so the last one counts, and only when it ends the text.
std::string_view WithoutDetail(std::string_view part) {
  if (!part.ends_with(')')) return part;
  return part.substr(0, part.rfind('('));
}

// "gpu:TYPE:COUNT" or "gpu:COUNT".
std::optional<std::pair<std::string, int>> ParseGpu(std::string_view part) {
  part = WithoutDetail(part);
  if (!part.starts_with(kGpu) || part.size() <= kGpu.size() + 1 ||
      part[kGpu.size()] != ':') {
    return std::nullopt;
  }
  part.remove_prefix(kGpu.size() + 1);
  const size_t colon = part.rfind(':');
  std::string_view type;
  if (colon != std::string_view::npos) {
    type = part.substr(0, colon);
    part.remove_prefix(colon + 1);
  }
  int count = 0;
  if (!absl::SimpleAtoi(std::string(part), &count) || count < 0 ||
      count > kMostGpus) {
    return std::nullopt;
  }
  if (type.empty() || type == kNoType) type = kGpu;
  if (type.find_first_of("():") != std::string_view::npos) return std::nullopt;
  return std::pair(std::string(type), count);
}

}  // namespace

std::map<std::string, int> ParseGpus(std::string_view gres) {
  std::map<std::string, int> gpus;
  for (const std::string_view part : SplitAtCommas(gres)) {
    const auto gpu = ParseGpu(part);
    if (gpu.has_value()) gpus[gpu->first] += gpu->second;
  }
  return gpus;
}

}  // namespace carme
