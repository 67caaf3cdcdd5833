// Reads the body of a request completely before it is passed on.
#ifndef CARME_PROXY_WHOLE_BODY_H_
#define CARME_PROXY_WHOLE_BODY_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "common/net/task.h"
#include "proxy/client_side.h"
#include "proxy/http_head.h"
#include "proxy/portal_gate.h"

namespace carme::proxy {

enum class WholeBodyResult {
  kWhole,
  kGone,       // the client has closed the connection or the stream
  kMalformed,  // wrong chunks
  kLate,       // not whole within `timeout`
  kTooLarge,
  kNoMemory,  // the budget is used up
};

// Appends the payload to `body`, up to `max_bytes`; the bytes behind it stay in
// side.held(). Chunks are decoded and trailers dropped. What is held is taken
// from `charge`.
net::Task<WholeBodyResult> ReadWholeBody(ClientSide& side, BodyFraming framing,
                                         size_t max_bytes,
                                         absl::Duration timeout,
                                         BudgetCharge& charge,
                                         std::string* body);

}  // namespace carme::proxy

#endif  // CARME_PROXY_WHOLE_BODY_H_
