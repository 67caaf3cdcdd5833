#include "common/protobuf/message_error.h"

#include <string>

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

}  // namespace carme
