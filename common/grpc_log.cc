#include "common/grpc_log.h"

#include <grpc/support/log.h>

#include "common/log.h"

namespace carme {
namespace {

// A failed handshake is an error to gRPC; to an administrator it is a warning.
void Write(gpr_log_func_args* args) {
  const LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR
                             ? LogLevel::kWarning
                             : LogLevel::kDebug;
  Log(level, "grpc", {{"cause", args->message}});
}

}  // namespace

void TakeGrpcLog() { gpr_set_log_function(Write); }

}  // namespace carme
