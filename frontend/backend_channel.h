// The one connection to the backend: HTTP/2 over mutual TLS, kept alive, and
// made again by itself whenever it was lost.
//
// Thread-safe. Neither the constructor nor a dead backend blocks: a call fails
// with UNAVAILABLE as soon as the backend is known to be away.
#ifndef CARME_FRONTEND_BACKEND_CHANNEL_H_
#define CARME_FRONTEND_BACKEND_CHANNEL_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

struct BackendOptions {
  std::string address;      // host:port
  std::string server_name;  // DNS name in its certificate
  std::string ca{};         // PEM, as the two below
  std::string certificate{};
  std::string key{};
};

struct BackendCall {
  std::string method;  // "/carme.v1.JobService/ListJobs"
  std::vector<std::pair<std::string, std::string>> metadata;
  absl::Time deadline;
  std::string request_id;  // for the log
};

// Errors carry one sentence that is safe to show; the detail of what is not
// the backend's own sentence went to the log.
class BackendChannel {
 public:
  explicit BackendChannel(const BackendOptions& options);
  ~BackendChannel();

  // The serialized response. Blocks until the call's deadline at most.
  absl::StatusOr<std::string> Call(const BackendCall& call,
                                   const std::string& request);

  // Gives each serialized message to `on_message` until the backend ends the
  // stream, whose status is the result. `on_message` returning false, or
  // `ended` (asked twice a second while nothing comes) returning true, cancels
  // the call: CANCELLED.
  absl::Status Stream(const BackendCall& call, const std::string& request,
                      const std::function<bool(const std::string&)>& on_message,
                      const std::function<bool()>& ended);

 private:
  struct Stub;
  std::unique_ptr<Stub> stub_;
};

}  // namespace carme

#endif  // CARME_FRONTEND_BACKEND_CHANNEL_H_
