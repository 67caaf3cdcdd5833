// Between JSON and protobuf messages, by protobuf's canonical mapping.
#ifndef CARME_FRONTEND_GATEWAY_JSON_CODEC_H_
#define CARME_FRONTEND_GATEWAY_JSON_CODEC_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace google::protobuf {
class Message;
}

namespace carme::frontend {

// INVALID_ARGUMENT names the field that is unknown or has a wrong value, in one
// line. The text may quote the request: it is for its sender, not for the log.
absl::Status ParseJson(const std::string& json,
                       google::protobuf::Message* message);

// INTERNAL.
absl::StatusOr<std::string> PrintJson(const google::protobuf::Message& message);

// `text` as a JSON string, quotes included. What is not UTF-8 is replaced.
std::string JsonString(std::string_view text);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_JSON_CODEC_H_
