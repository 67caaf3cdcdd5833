#include "backend/identity/factors/client_data.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"

namespace carme::backend {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

absl::Status InvalidClientData(absl::string_view what) {
  return absl::UnauthenticatedError(absl::StrCat("client data: ", what));
}

absl::Status CheckText(const Struct& data, const std::string& key,
                       std::string_view expected) {
  const auto found = data.fields().find(key);
  if (found == data.fields().end() ||
      found->second.kind_case() != Value::kStringValue) {
    return InvalidClientData(absl::StrCat("no \"", key, "\""));
  }
  if (!EqualInConstantTime(found->second.string_value(), expected)) {
    return InvalidClientData(absl::StrCat("another \"", key, "\""));
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
    return InvalidClientData(absl::StrCat(json.size(), " bytes"));
  }
  if (expected.challenge.empty()) return InvalidClientData("no challenge");
  Struct data;
  if (!google::protobuf::util::JsonStringToMessage({json.data(), json.size()},
                                                   &data)
           .ok()) {
    return InvalidClientData("not a JSON object");
  }
  for (const absl::Status& checked :
       {CheckText(data, "type", expected.type),
        CheckText(data, "challenge", Base64UrlEncode(expected.challenge)),
        CheckText(data, "origin", expected.origin)}) {
    if (!checked.ok()) return checked;
  }
  return IsCrossOrigin(data)
             ? InvalidClientData("from a frame of another origin")
             : absl::OkStatus();
}

}  // namespace carme::backend
