// Calls to the backend, as bytes: what they mean is known elsewhere.
//
// Thread-safe. While the backend is away a call waits at most until 2 s after
// it went, and then fails at once with UNAVAILABLE.
#ifndef CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_
#define CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::frontend {

class BackendClient;

struct BackendCall {
  std::string method;  // "/carme.v1.JobService/ListJobs"
  std::vector<std::pair<std::string, std::string>> metadata;
  absl::Time deadline;
  std::string request_id;  // for the log
  // The SHA-256 of what the call shows: a key for whose it is.
  std::string credential{};
};

// Errors carry one sentence that is safe to show; the detail of what is not
// the backend's own sentence went to the log.
class BackendChannel {
 public:
  // `link` outlives the channel.
  explicit BackendChannel(BackendClient* link);

  // The serialized response. Blocks until the call's deadline at most.
  absl::StatusOr<std::string> Call(const BackendCall& call,
                                   const std::string& request);

  // Gives each serialized message to `on_message` until the backend ends the
  // stream, whose status is the result. `on_message` returning false, or
  // `ended` (asked twice a second while nothing comes) returning true, cancels
  // the call: CANCELLED. UNAVAILABLE: the backend's certificate may have been
  // taken back.
  absl::Status Stream(const BackendCall& call, const std::string& request,
                      const std::function<bool(const std::string&)>& on_message,
                      const std::function<bool()>& ended);

 private:
  BackendClient* const link_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_
