#include "common/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include <string_view>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/log.h"

namespace carme {
namespace {

// The prefix in gRPC's ssl_transport_security.cc, before "SSL_ERROR_SSL: error:
// 0A0000C7:SSL routines::peer did not return a certificate."
constexpr std::string_view kHandshake = "Handshake failed with fatal error ";

// gRPC has one log function per process, without a context argument.
ABSL_CONST_INIT absl::Mutex mutex(absl::kConstInit);
const FailedHandshakes::Listener* listener ABSL_GUARDED_BY(mutex) = nullptr;

std::string_view ReasonOf(std::string_view message) {
  const size_t last = message.rfind("::");
  std::string_view why =
      message.substr(last == message.npos ? kHandshake.size() : last + 2);
  if (why.ends_with('.')) why.remove_suffix(1);
  return why;
}

bool IsListenedTo(std::string_view message) {
  if (!message.starts_with(kHandshake)) return false;
  absl::MutexLock lock(&mutex);
  if (listener == nullptr) return false;
  (*listener)(ReasonOf(message));
  return true;
}

// gRPC logs failed handshakes as errors; for an administrator they are
// warnings.
void Write(gpr_log_func_args* args) {
  if (IsListenedTo(args->message)) return;
  const LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR
                             ? LogLevel::kWarning
                             : LogLevel::kDebug;
  Log(level, "grpc", {{"error", args->message}});
}

}  // namespace

void TakeGrpcLog() { gpr_set_log_function(Write); }

FailedHandshakes::FailedHandshakes(Listener on_failure)
    : on_failure_(std::move(on_failure)) {
  TakeGrpcLog();
  absl::MutexLock lock(&mutex);
  listener = &on_failure_;
}

FailedHandshakes::~FailedHandshakes() {
  absl::MutexLock lock(&mutex);
  listener = nullptr;
}

}  // namespace carme
