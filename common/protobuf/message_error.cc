#include "common/protobuf/message_error.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "carme/v1/text_code.pb.h"
#include "common/printable.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/text_code.h"

namespace carme {
namespace {

// Without a code: the status has none.
v1::TextCode TextCodeDetail(const absl::Status& status) {
  v1::TextCode code;
  const auto payload = status.GetPayload(
      absl::StrCat(kDetailPrefix, code.GetDescriptor()->full_name()));
  if (!payload || !code.ParseFromString(std::string(*payload))) return {};
  return code;
}

}  // namespace

absl::Status MakeError(const ErrorTemplate& error,
                       std::initializer_list<MessageValue> values) {
  absl::Status status = MakePlainError(error, values);
  ErrorMetadata metadata;
  for (const MessageValue& each : values) {
    metadata.emplace_back(std::string(each.name), ValidUtf8(each.value.text));
  }
  SetErrorInfo(error.reason, metadata, &status);
  const bool has_text = std::any_of(
      values.begin(), values.end(),
      [](const MessageValue& each) { return !each.value.code.empty(); });
  if (has_text) {
    SetErrorDetail(TextCodeOf(MakeText({error.reason, error.text}, values)),
                   &status);
  }
  return status;
}

DisplayText TextOfStatus(const absl::Status& status) {
  if (status.ok()) return {};
  if (const v1::TextCode code = TextCodeDetail(status); !code.code().empty()) {
    return DisplayTextOf(std::string(status.message()), code);
  }
  DisplayText text{std::string(status.message())};
  text.code = ErrorReason(status);
  for (auto& [name, value] : ErrorMetadataOf(status)) {
    text.parameters.push_back({.name = name, .value = std::move(value)});
  }
  return text;
}

}  // namespace carme
