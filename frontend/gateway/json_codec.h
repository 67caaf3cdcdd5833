// Converts between JSON and Protocol Buffers by the canonical mapping.
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

// INVALID_ARGUMENT names the unknown or invalid field in one line. The text may
// quote the request: return it to the sender and do not log it.
absl::Status ParseJson(const std::string& json,
                       google::protobuf::Message* message);

// INTERNAL.
absl::StatusOr<std::string> PrintJson(const google::protobuf::Message& message);

// Returns `text` as a quoted JSON string. Invalid UTF-8 is replaced.
std::string JsonString(std::string_view text);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_JSON_CODEC_H_
