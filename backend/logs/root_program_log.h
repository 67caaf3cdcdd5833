// The service log's entries of a root program on this host: one for each of its
// responses. The backend makes them from the responses, so that root programs
// connect to no other process. The complete log of a root program is its own.
#ifndef CARME_BACKEND_LOGS_ROOT_PROGRAM_LOG_H_
#define CARME_BACKEND_LOGS_ROOT_PROGRAM_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "backend/logs/service_log.h"

namespace carme::backend {

// A request to a root program.
struct RootOperation {
  std::string name{};  // "submit"
  std::string user{};
  std::string request_id{};
  std::string job_id{};  // empty: of no job
  uint32_t slurm_job_id = 0;
  // Changes nothing: only failures are entered.
  bool reads = false;
};

// Thread-safe. Never waits.
class RootProgramLog {
 public:
  // `service`: "carme-impersonator". `logs` must outlive the object; null:
  // nothing is entered.
  RootProgramLog(ServiceLog* logs, std::string_view service)
      : logs_(logs), service_(service) {}

  // `result`: that of the response, or why there is none. Success is entered as
  // INFO; what the user, Slurm or the program refused as WARNING.
  void Add(const RootOperation& operation, const absl::Status& result) const;

 private:
  ServiceLog* const logs_;
  const std::string service_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_ROOT_PROGRAM_LOG_H_
