// Copies the backend's own warnings and errors into the service log.
#ifndef CARME_BACKEND_LOGS_LOG_CAPTURE_H_
#define CARME_BACKEND_LOGS_LOG_CAPTURE_H_

#include "backend/logs/service_log.h"

namespace carme::backend {

// At most one at a time. The destructor waits for running calls.
class LogCapture {
 public:
  // `logs` must outlive the object.
  explicit LogCapture(ServiceLog* logs);
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture();
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_LOG_CAPTURE_H_
