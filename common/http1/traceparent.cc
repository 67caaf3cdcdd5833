#include "common/http1/traceparent.h"

#include <algorithm>

namespace carme {
namespace {

constexpr size_t kTraceIdChars = 32;
constexpr size_t kParentIdChars = 16;
// "00-", the trace id, "-", the parent id, "-01".
constexpr size_t kTraceIdAt = 3;
constexpr size_t kParentIdAt = kTraceIdAt + kTraceIdChars + 1;
constexpr size_t kFlagsAt = kParentIdAt + kParentIdChars + 1;
constexpr size_t kVersion00Chars = kFlagsAt + 2;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

bool IsId(std::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool IsOdd(char hex_digit) {
  return (hex_digit <= '9' ? hex_digit - '0' : hex_digit - 'a' + 10) % 2 != 0;
}

}  // namespace

std::optional<Traceparent> ParseTraceparent(std::string_view value) {
  if (value.size() < kVersion00Chars) return std::nullopt;
  const std::string_view version = value.substr(0, 2);
  if (!IsHex(version) || version == "ff") return std::nullopt;
  if (value[kTraceIdAt - 1] != '-' || value[kParentIdAt - 1] != '-' ||
      value[kFlagsAt - 1] != '-') {
    return std::nullopt;
  }
  // Later versions may append fields.
  if (value.size() > kVersion00Chars &&
      (version == "00" || value[kVersion00Chars] != '-')) {
    return std::nullopt;
  }
  const std::string_view trace_id = value.substr(kTraceIdAt, kTraceIdChars);
  const std::string_view parent_id = value.substr(kParentIdAt, kParentIdChars);
  const std::string_view flags = value.substr(kFlagsAt, 2);
  if (!IsId(trace_id) || !IsParentId(parent_id) || !IsHex(flags)) {
    return std::nullopt;
  }
  return Traceparent{trace_id, parent_id, IsOdd(flags[1])};
}

std::string FormatTraceparent(const Traceparent& traceparent) {
  std::string value = "00-";
  value.append(traceparent.trace_id).append("-");
  value.append(traceparent.parent_id);
  value.append(traceparent.sampled ? "-01" : "-00");
  return value;
}

bool IsParentId(std::string_view text) {
  return text.size() == kParentIdChars && IsId(text);
}

}  // namespace carme
