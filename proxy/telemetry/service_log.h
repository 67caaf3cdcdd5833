// Sends entries to the backend's service log.
#ifndef CARME_PROXY_TELEMETRY_SERVICE_LOG_H_
#define CARME_PROXY_TELEMETRY_SERVICE_LOG_H_

#include "absl/status/status.h"
#include "carme/v1/log.pb.h"
#include "proxy/control/backend_connection.h"

namespace carme::proxy {

// For LogReporter. Blocks for seconds at most; logs nothing.
absl::Status ReportLog(const BackendConnection& backend,
                       const v1::ReportLogEntriesRequest& request);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_SERVICE_LOG_H_
