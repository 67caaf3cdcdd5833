#include "backend/privileged/protocol/request_fields.h"

#include <algorithm>
#include <string>
#include <vector>

#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/protocol/messages.h"
#include "common/name_rules.h"

namespace carme {
namespace {

bool HasUnknownFields(const google::protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  return std::any_of(fields.begin(), fields.end(), [&](const auto* field) {
    if (field->cpp_type() !=
        google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      return false;
    }
    if (!field->is_repeated()) {
      return HasUnknownFields(reflection->GetMessage(message, field));
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (HasUnknownFields(reflection->GetRepeatedMessage(message, field, i))) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace

bool IsUserName(std::string_view text) {
  return IsToken(text, kMaxUserName, "_-.@");
}

bool IsToken(std::string_view text, size_t max, const char* also) {
  const NameRule rule{.characters = kAlphanumeric | also,
                      .max_bytes = max,
                      .first = kAlphanumeric | "_"};
  return rule.Allows(text);
}

absl::Status InvalidField(std::string_view field, std::string_view expected) {
  return MakePlainError(privileged_protocol_messages::kFieldInvalid,
                        {{"field", field}, {"expected", expected}});
}

absl::Status CheckRequestHeader(std::string_view request_id,
                                std::string_view user, uint32_t uid) {
  if (!kRequestIdRule.Allows(request_id)) {
    return InvalidField("request_id", "1 to 64 letters, digits and _ -");
  }
  if (!IsUserName(user)) {
    return InvalidField("user", "1 to 64 letters, digits and _ - . @");
  }
  if (uid == UINT32_MAX) return InvalidField("uid", "less than 2^32 - 1");
  return absl::OkStatus();
}

absl::Status ParseMessage(std::string_view body,
                          google::protobuf::Message* message) {
  if (body.size() > kMaxFrameBytes ||
      !message->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return MakePlainError(privileged_protocol_messages::kRequestUnparsable);
  }
  if (HasUnknownFields(*message)) {
    return MakePlainError(privileged_protocol_messages::kRequestFieldsUnknown);
  }
  return absl::OkStatus();
}

}  // namespace carme
