// gRPC's own lines in the form of ours.
#ifndef CARME_COMMON_GRPC_GRPC_LOG_H_
#define CARME_COMMON_GRPC_GRPC_LOG_H_

#include <functional>
#include <string_view>

namespace carme {

// From now on what gRPC reports becomes lines of this program's log; by
// itself gRPC reports errors alone. Call once, before the first use of gRPC.
void TakeGrpcLog();

// While it lives, each TLS handshake that fails goes to `told` instead of
// the log, with OpenSSL's reason ("peer did not return a certificate"). gRPC
// tells of it nowhere but in its log, without the peer's address. `told` is
// called from any thread and must not block. One at a time; takes the log, too.
class FailedHandshakes {
 public:
  using Listener = std::function<void(std::string_view why)>;
  explicit FailedHandshakes(Listener told);
  ~FailedHandshakes();
  FailedHandshakes(const FailedHandshakes&) = delete;
  FailedHandshakes& operator=(const FailedHandshakes&) = delete;

 private:
  const Listener told_;
};

}  // namespace carme

#endif  // CARME_COMMON_GRPC_GRPC_LOG_H_
