#include "common/protobuf/message_error.h"

#include <string>
#include <utility>

#include "common/printable.h"
#include "common/protobuf/error_details.h"

namespace carme {

absl::Status MakeError(const ErrorTemplate& error,
                       std::initializer_list<MessageValue> values) {
  absl::Status status = MakePlainError(error, values);
  ErrorMetadata metadata;
  for (const MessageValue& each : values) {
    metadata.emplace_back(std::string(each.name), ValidUtf8(each.value.text));
  }
  SetErrorInfo(error.reason, metadata, &status);
  return status;
}

DisplayText TextOfStatus(const absl::Status& status) {
  if (status.ok()) return {};
  DisplayText text{std::string(status.message())};
  text.code = ErrorReason(status);
  for (auto& [name, value] : ErrorMetadataOf(status)) {
    text.parameters.push_back({.name = name, .value = std::move(value)});
  }
  return text;
}

}  // namespace carme
