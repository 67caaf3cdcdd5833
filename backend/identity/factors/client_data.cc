#include "backend/identity/factors/client_data.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "backend/identity/factors/messages.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

absl::Status InvalidClientData(const std::string& cause) {
  return MakeError(factor_messages::kClientDataInvalid, {{"cause", cause}});
}

absl::Status CheckText(const Struct& data, const std::string& key,
                       std::string_view expected) {
  const auto found = data.fields().find(key);
  if (found == data.fields().end() ||
      found->second.kind_case() != Value::kStringValue) {
    return InvalidClientData(
        FormatMessage(factor_messages::kKeyMissing, {{"key", key}}));
  }
  if (!EqualInConstantTime(found->second.string_value(), expected)) {
    return InvalidClientData(
        FormatMessage(factor_messages::kKeyDiffers, {{"key", key}}));
  }
  return absl::OkStatus();
}

// True if the page was in a frame of another origin.
bool IsCrossOrigin(const Struct& data) {
  const auto found = data.fields().find("crossOrigin");
  return found != data.fields().end() &&
         !(found->second.kind_case() == Value::kBoolValue &&
           !found->second.bool_value());
}

}  // namespace

absl::Status CheckClientData(std::string_view json,
                             const ExpectedClientData& expected) {
  if (json.empty() || json.size() > kMaxClientDataBytes) {
    return InvalidClientData(
        FormatMessage(factor_messages::kSize, {{"bytes", json.size()}}));
  }
  if (expected.challenge.empty()) {
    return InvalidClientData(FormatMessage(factor_messages::kNoChallenge));
  }
  Struct data;
  if (!google::protobuf::util::JsonStringToMessage({json.data(), json.size()},
                                                   &data)
           .ok()) {
    return InvalidClientData(FormatMessage(factor_messages::kNoJson));
  }
  for (const absl::Status& checked :
       {CheckText(data, "type", expected.type),
        CheckText(data, "challenge", Base64UrlEncode(expected.challenge)),
        CheckText(data, "origin", expected.origin)}) {
    if (!checked.ok()) return checked;
  }
  return IsCrossOrigin(data)
             ? InvalidClientData(FormatMessage(factor_messages::kOtherFrame))
             : absl::OkStatus();
}

}  // namespace carme::backend
