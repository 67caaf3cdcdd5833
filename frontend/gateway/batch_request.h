// The calls of a batch: carme/v1/batch.proto has the format,
// docs/adr/0120-batched-calls.md the reasons.
#ifndef CARME_FRONTEND_GATEWAY_BATCH_REQUEST_H_
#define CARME_FRONTEND_GATEWAY_BATCH_REQUEST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/gateway/method_table.h"

namespace carme::frontend {

inline constexpr std::string_view kBatchPath = "/carme.v1.Batch";
inline constexpr size_t kMaxBatchCalls = 16;

struct BatchedCall {
  const Method* method = nullptr;
  std::string body{};  // JSON
};

// The calls in the order of the request: 1 to kMaxBatchCalls methods that only
// read. At least one of them needs a session. INVALID_ARGUMENT.
absl::StatusOr<std::vector<BatchedCall>> ParseBatch(const MethodTable& methods,
                                                    const std::string& json);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_BATCH_REQUEST_H_
