// Structured details of an error: messages of google.rpc, as payloads of an
// absl::Status. ToGrpc and FromGrpc (grpc_status.h) carry them over gRPC, and
// the frontend to Connect's clients. No client may decide by English text: an
// error that a client must distinguish needs a reason.
#ifndef CARME_COMMON_PROTOBUF_ERROR_DETAILS_H_
#define CARME_COMMON_PROTOBUF_ERROR_DETAILS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace google::protobuf {
class Message;
}

namespace carme {

// What a type URL of a detail starts with. Other payloads are private to a
// process and are never sent.
inline constexpr char kDetailPrefix[] = "type.googleapis.com/";

// Replaces the detail of the same type. Does nothing for OK.
void SetErrorDetail(const google::protobuf::Message& detail,
                    absl::Status* status);

// google.rpc.ErrorInfo of the domain "carme". `reason` is UPPER_SNAKE_CASE.
using ErrorMetadata = std::vector<std::pair<std::string, std::string>>;
void SetErrorInfo(std::string_view reason, const ErrorMetadata& metadata,
                  absl::Status* status);
// The reason of the status's ErrorInfo; empty: the status has none.
std::string ErrorReason(const absl::Status& status);
// Its metadata, sorted by name.
ErrorMetadata ErrorMetadataOf(const absl::Status& status);

}  // namespace carme

#endif  // CARME_COMMON_PROTOBUF_ERROR_DETAILS_H_
