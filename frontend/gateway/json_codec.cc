#include "frontend/gateway/json_codec.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/protobuf/message_error.h"
#include "frontend/gateway/messages.h"

namespace carme::frontend {
namespace {

constexpr size_t kMaxErrorBytes = 300;
constexpr char kReplacement[] = "\xEF\xBF\xBD";  // U+FFFD

// Protobuf's text starts with a path and may end with an excerpt of the request
// on separate lines.
std::string OneLine(std::string text) {
  text = text.substr(0, text.find('\n')).substr(0, kMaxErrorBytes);
  if (text.starts_with(": ")) text = text.substr(2);
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

// Returns the length of the first character of `text`, or 0 if it is not valid
// UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

absl::Status ParseJson(const std::string& json,
                       google::protobuf::Message* message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = false;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, message, options);
  if (status.ok()) return absl::OkStatus();
  return MakeError(gateway_messages::kInvalidRequest,
                   {{"cause", OneLine(std::string(status.message().data(),
                                                  status.message().size()))}});
}

absl::StatusOr<std::string> PrintJson(
    const google::protobuf::Message& message) {
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &json);
  if (status.ok()) return json;
  return absl::InternalError(
      absl::StrCat("cannot write \"", message.GetTypeName(), "\" as JSON"));
}

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char c = text.front();
    if (length == 0) {
      json += kReplacement;
    } else if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&json, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + '"';
}

}  // namespace carme::frontend
