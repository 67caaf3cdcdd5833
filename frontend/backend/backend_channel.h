// Calls to the backend. Requests and responses are serialized messages.
//
// Thread-safe. After a connection is lost, calls wait for up to 2 s for a new
// one; later calls fail with UNAVAILABLE at once.
#ifndef CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_
#define CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::v1 {
class ReportLogEntriesRequest;
}

namespace carme::frontend {

class BackendClient;

struct BackendCall {
  std::string method;  // "/carme.v1.JobService/ListJobs"
  std::vector<std::pair<std::string, std::string>> metadata;
  absl::Time deadline;
  std::string request_id;  // for the log
  // The SHA-256 of the session or access token: identifies the caller.
  std::string credential{};
};

// The message of an error is safe to show to a user. Details of errors that the
// backend did not write are logged instead.
class BackendChannel {
 public:
  // `link` must outlive the channel.
  explicit BackendChannel(BackendClient* link);

  bool connected() const;

  // Returns the serialized response. Blocks until the call's deadline at most.
  absl::StatusOr<std::string> Call(const BackendCall& call,
                                   const std::string& request);

  // Passes each serialized message to `on_message` until the backend ends the
  // stream, and returns the status of the stream. The call is cancelled
  // (CANCELLED) when `on_message` returns false or `ended` returns true, which
  // is polled twice a second. UNAVAILABLE: the certificate revocation list
  // changed.
  absl::Status Stream(const BackendCall& call, const std::string& request,
                      const std::function<bool(const std::string&)>& on_message,
                      const std::function<bool()>& ended);

  // Adds entries to the backend's service log. Does not wait for a connection.
  // Logs nothing.
  absl::Status ReportLog(const v1::ReportLogEntriesRequest& request);

 private:
  BackendClient* const link_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BACKEND_BACKEND_CHANNEL_H_
