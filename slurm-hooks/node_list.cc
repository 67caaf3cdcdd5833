#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "slurm-hooks/job_storage.h"

namespace carme::hooks {
namespace {

constexpr size_t kMostNodes = 100'000;
constexpr size_t kLongestNumber = 9;

using Names = std::vector<std::string>;

// "7" or "07-12": leading zeros are kept.
bool AddRange(absl::string_view range, Names* numbers) {
  const std::vector<absl::string_view> ends = absl::StrSplit(range, '-');
  uint32_t first = 0;
  uint32_t last = 0;
  if (ends.size() > 2 || ends[0].empty() || ends[0].size() > kLongestNumber ||
      ends.back().size() > kLongestNumber ||
      !absl::SimpleAtoi(ends[0], &first) ||
      !absl::SimpleAtoi(ends.back(), &last) || last < first ||
      last - first >= kMostNodes) {
    return false;
  }
  for (uint32_t number = first; number <= last; ++number) {
    numbers->push_back(
        absl::StrFormat("%0*d", static_cast<int>(ends[0].size()), number));
  }
  return numbers->size() <= kMostNodes;
}

// Each of `names` followed by each of the ranges.
bool Multiply(absl::string_view ranges, Names* names) {
  Names numbers;
  for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
    if (!AddRange(range, &numbers)) return false;
  }
  if (names->size() * numbers.size() > kMostNodes) return false;
  Names longer;
  for (const std::string& name : *names) {
    for (const std::string& number : numbers) longer.push_back(name + number);
  }
  *names = std::move(longer);
  return true;
}

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::optional<Names> ExpandNodeList(std::string_view list) {
  Names all;
  Names current = {""};
  bool begun = false;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == ',') {
      if (!begun || all.size() + current.size() > kMostNodes) {
        return std::nullopt;
      }
      all.insert(all.end(), current.begin(), current.end());
      current = {""};
      begun = false;
      continue;
    }
    begun = true;
    if (c == '[') {
      const size_t end = list.find(']', i);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view ranges = list.substr(i + 1, end - i - 1);
      if (!Multiply({ranges.data(), ranges.size()}, &current)) {
        return std::nullopt;
      }
      i = end;
    } else if (IsNameCharacter(c)) {
      for (std::string& name : current) name += c;
    } else {
      return std::nullopt;
    }
  }
  return all;
}

}  // namespace carme::hooks
