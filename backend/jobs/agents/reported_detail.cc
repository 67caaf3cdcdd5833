#include "backend/jobs/agents/reported_detail.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/printable.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxCodeLength = 64;
constexpr size_t kMaxNameLength = 32;
constexpr size_t kMaxParameters = 8;
// A list of texts in a list, each with a cause that is a text.
constexpr int kMaxLevels = 6;

// Whether the text begins with a letter from `first` to `last`, and has only
// such letters, digits and "_".
bool IsIdentifier(const std::string& text, char first, char last, size_t max) {
  const auto is_letter = [&](char c) { return c >= first && c <= last; };
  return !text.empty() && text.size() <= max && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

// Returns false if the code is not usable; `text` is then incomplete.
bool CopyCode(const DisplayText& reported, int level, DisplayText* text) {
  if (reported.code.empty()) return reported.parameters.empty();
  if (level > kMaxLevels || reported.parameters.size() > kMaxParameters ||
      !IsIdentifier(reported.code, 'A', 'Z', kMaxCodeLength)) {
    return false;
  }
  text->code = reported.code;
  for (const DisplayParameter& each : reported.parameters) {
    if (!IsIdentifier(each.name, 'a', 'z', kMaxNameLength)) return false;
    DisplayText value = PlainText(each.value.text, kMaxReportedDetail);
    if (!CopyCode(each.value, level + 1, &value)) return false;
    text->parameters.push_back({.name = each.name, .value = std::move(value)});
  }
  return true;
}

}  // namespace

DisplayText CheckReportedDetail(const DisplayText& reported) {
  const std::string english = PlainText(reported.text, kMaxReportedDetail);
  DisplayText text = english;
  const bool is_usable =
      TextCodeOf(reported).ByteSizeLong() <= kMaxReportedCode &&
      CopyCode(reported, 1, &text);
  return is_usable ? text : DisplayText(english);
}

}  // namespace carme::backend
