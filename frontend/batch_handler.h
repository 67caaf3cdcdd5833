// Runs the calls of a batch side by side, each as a request of its own, and
// sends each response when it is there.
// docs/adr/0120-batched-calls.md: limits and reasons.
#ifndef CARME_FRONTEND_BATCH_HANDLER_H_
#define CARME_FRONTEND_BATCH_HANDLER_H_

#include <functional>
#include <string>
#include <vector>

#include "common/concurrency/concurrency_limiter.h"
#include "frontend/gateway/batch_request.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// Thread-safe. Must outlive its responses.
class BatchHandler {
 public:
  using AnswerCall = std::function<HttpResponse(const HttpRequest&)>;

  // RESOURCE_EXHAUSTED if the portal or the session has too many batches.
  // `request` has the headers of each call. `answer` must outlive the response.
  HttpResponse Answer(const HttpRequest& request, const std::string& request_id,
                      const std::string& session,
                      std::vector<BatchedCall> calls, AnswerCall answer) const;

 private:
  // A batch has a thread for each call, so that no slow call holds those of
  // other batches.
  static constexpr int kMaxBatches = 32;
  static constexpr int kMaxPerSession = 2;

  mutable ConcurrencyLimiter<std::string> batches_{kMaxBatches, kMaxPerSession};
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BATCH_HANDLER_H_
