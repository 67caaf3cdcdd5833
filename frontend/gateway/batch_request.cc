#include "frontend/gateway/batch_request.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "carme/v1/batch.pb.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/gateway/messages.h"

namespace carme::frontend {

absl::StatusOr<std::vector<BatchedCall>> ParseBatch(const MethodTable& methods,
                                                    const std::string& json) {
  v1::BatchRequest request;
  RETURN_IF_ERROR(ParseJson(json, &request));
  const auto size = static_cast<size_t>(request.calls_size());
  if (size == 0 || size > kMaxBatchCalls) {
    return MakeError(gateway_messages::kBatchSize,
                     {{"calls", size}, {"max", kMaxBatchCalls}});
  }
  std::vector<BatchedCall> calls;
  for (v1::BatchCall& call : *request.mutable_calls()) {
    const Method* method = methods.Find(absl::StrCat("/", call.method()));
    if (method == nullptr || !method->reads) {
      return MakeError(gateway_messages::kBatchMethod,
                       {{"method", call.method()}});
    }
    calls.push_back(
        {.method = method, .body = std::move(*call.mutable_body())});
  }
  const bool has_proof = std::any_of(
      calls.begin(), calls.end(),
      [](const BatchedCall& call) { return call.method->needs_session; });
  if (!has_proof) return MakeError(gateway_messages::kBatchOfPublicCalls);
  return calls;
}

}  // namespace carme::frontend
