#include "common/protobuf/text_code.h"

#include <utility>

#include "common/printable.h"

namespace carme {
namespace {

void Fill(const DisplayText& text, int depth, v1::TextCode* code) {
  code->set_code(text.code);
  for (const DisplayParameter& each : text.parameters) {
    v1::TextParameter* parameter = code->add_parameters();
    parameter->set_name(each.name);
    parameter->set_value(ValidUtf8(each.value.text));
    if (!each.value.code.empty() && depth < kMaxTextDepth) {
      Fill(each.value, depth + 1, parameter->mutable_code());
    }
  }
}

DisplayText Read(std::string text, const v1::TextCode& code, int depth) {
  DisplayText result(std::move(text));
  if (depth > kMaxTextDepth) return result;
  result.code = code.code();
  for (const v1::TextParameter& each : code.parameters()) {
    result.parameters.push_back(
        {.name = each.name(),
         .value = Read(each.value(), each.code(), depth + 1)});
  }
  return result;
}

}  // namespace

v1::TextCode TextCodeOf(const DisplayText& text) {
  v1::TextCode code;
  if (!text.code.empty()) Fill(text, 1, &code);
  return code;
}

DisplayText DisplayTextOf(std::string text, const v1::TextCode& code) {
  return Read(std::move(text), code, 1);
}

std::string SerializeTextCode(const DisplayText& text) {
  return TextCodeOf(text).SerializeAsString();
}

DisplayText ParseDisplayText(std::string text, std::string_view code) {
  v1::TextCode message;
  if (!message.ParseFromArray(code.data(), static_cast<int>(code.size()))) {
    return text;
  }
  return DisplayTextOf(std::move(text), message);
}

}  // namespace carme
