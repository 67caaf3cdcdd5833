// Writes gRPC's log lines in the format of common/log.
#ifndef CARME_COMMON_GRPC_GRPC_LOG_H_
#define CARME_COMMON_GRPC_GRPC_LOG_H_

#include <functional>
#include <string_view>

namespace carme {

// Redirects gRPC's log, which contains only errors by default. Call it once,
// before the first use of gRPC.
void TakeGrpcLog();

// While it exists, failed TLS handshakes are reported to `on_failure` instead
// of the log, with OpenSSL's reason ("peer did not return a certificate"). gRPC
// reports them only in its log, without the peer's address. `on_failure`
// is called on any thread and must not block. One object at a time; redirects
// the log.
class FailedHandshakes {
 public:
  using Listener = std::function<void(std::string_view why)>;
  explicit FailedHandshakes(Listener on_failure);
  ~FailedHandshakes();
  FailedHandshakes(const FailedHandshakes&) = delete;
  FailedHandshakes& operator=(const FailedHandshakes&) = delete;

 private:
  const Listener on_failure_;
};

}  // namespace carme

#endif  // CARME_COMMON_GRPC_GRPC_LOG_H_
