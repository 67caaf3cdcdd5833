#include "common/message.h"

namespace carme {
namespace {

// As text_code.proto has it.
constexpr char kTextList[] = "TEXT_LIST";

const MessageValue* Find(std::initializer_list<MessageValue> values,
                         std::string_view name) {
  for (const MessageValue& each : values) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace

std::string FormatMessage(std::string_view text,
                          std::initializer_list<MessageValue> values) {
  std::string result;
  while (!text.empty()) {
    const size_t begin = text.find('{');
    result.append(text.substr(0, begin));
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const size_t end = text.find('}');
    const MessageValue* value = end == std::string_view::npos
                                    ? nullptr
                                    : Find(values, text.substr(1, end - 1));
    if (value == nullptr) {
      result.push_back('{');
      text.remove_prefix(1);
      continue;
    }
    result.append(value->value.text);
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string FormatMessage(const MessageTemplate& message,
                          std::initializer_list<MessageValue> values) {
  return FormatMessage(message.text, values);
}

std::string FormatMessage(const TextTemplate& message,
                          std::initializer_list<MessageValue> values) {
  return FormatMessage(message.text, values);
}

DisplayText MakeText(const TextTemplate& message,
                     std::initializer_list<MessageValue> values) {
  DisplayText result(FormatMessage(message.text, values));
  result.code = message.code;
  result.parameters.reserve(values.size());
  for (const MessageValue& each : values) {
    result.parameters.push_back(
        {.name = std::string(each.name), .value = each.value});
  }
  return result;
}

DisplayText JoinTexts(const std::vector<DisplayText>& texts) {
  if (texts.size() == 1) return texts[0];
  DisplayText joined;
  for (const DisplayText& text : texts) {
    if (!joined.empty()) joined.text.append("; ");
    joined.text.append(text.text);
    joined.parameters.push_back({.name = "text", .value = text});
  }
  if (!texts.empty()) joined.code = kTextList;
  return joined;
}

absl::Status MakePlainError(const ErrorTemplate& error,
                            std::initializer_list<MessageValue> values) {
  return absl::Status(error.code, FormatMessage(error.text, values));
}

}  // namespace carme
