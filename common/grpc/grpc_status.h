// Conversions between the status codes of gRPC, Abseil and HTTP. Includes only
// gRPC's status header.
#ifndef CARME_COMMON_GRPC_GRPC_STATUS_H_
#define CARME_COMMON_GRPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"

namespace carme {

// With the details of error_details.h, at most 3 KiB of them.
grpc::Status ToGrpc(const absl::Status& status);
// The same for an AuthMetadataProcessor, whose errors lose their details in
// gRPC: the message is preceded by ErrorInfo's reason, "[REASON] message".
grpc::Status ToGrpcWithoutDetails(const absl::Status& status);
// Restores the details, and the reason of ToGrpcWithoutDetails.
absl::Status FromGrpc(const grpc::Status& status);

// Whether a server answers that it has no such rpc: gRPC's own answer, or that
// of carme-backend, which checks access first. It is older than the client.
bool IsMethodUnknown(const absl::Status& status);

// The Connect protocol's HTTP status and name of a code: {429,
// "resource_exhausted"}. https://connectrpc.com/docs/protocol#error-codes
int ConnectHttpStatus(absl::StatusCode code);
std::string_view ConnectCodeName(absl::StatusCode code);

}  // namespace carme

#endif  // CARME_COMMON_GRPC_GRPC_STATUS_H_
