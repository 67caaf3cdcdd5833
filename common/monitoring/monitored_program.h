// What a program answers to monitoring, and the requests for it: GET /metrics,
// /healthz and /readyz. Nothing else, and nothing about users: the listener has
// no authentication.
#ifndef CARME_COMMON_MONITORING_MONITORED_PROGRAM_H_
#define CARME_COMMON_MONITORING_MONITORED_PROGRAM_H_

#include <string>

#include "absl/status/status.h"
#include "common/http1/head.h"

namespace carme {

// Called by the thread of the listener, which waits: the functions must not
// block.
class MonitoredProgram {
 public:
  virtual ~MonitoredProgram() = default;
  // Prometheus' text format.
  virtual std::string Metrics() const = 0;
  // Not OK: restart the program. Its message is the response.
  virtual absl::Status Alive() const { return absl::OkStatus(); }
  // Not OK: send no requests to the program. Its message is the response.
  virtual absl::Status Ready() const = 0;
};

// The whole response.
std::string MonitoringResponse(const ScanResult& scan, const RequestHead& head,
                               const MonitoredProgram& program);

}  // namespace carme

#endif  // CARME_COMMON_MONITORING_MONITORED_PROGRAM_H_
