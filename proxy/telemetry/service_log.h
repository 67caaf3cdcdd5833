// Sends entries to the backend's service log.
#ifndef CARME_PROXY_TELEMETRY_SERVICE_LOG_H_
#define CARME_PROXY_TELEMETRY_SERVICE_LOG_H_

#include "absl/status/status.h"
#include "carme/v1/log.pb.h"
#include "proxy/control/backend_call_channel.h"

namespace carme::proxy {

// For ServiceLogReporter. Blocks for seconds at most; logs nothing.
absl::Status ReportLog(const BackendCallChannel& backend,
                       const v1::ReportLogEntriesRequest& request);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_SERVICE_LOG_H_
