// A check of `carmectl doctor`. Each check is one file, in checks/ or cluster/,
// and one line in check_table.cc.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_CHECK_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_CHECK_H_

#include <string_view>
#include <vector>

#include "backend/carmectl/doctor/host/finding.h"
#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

struct CheckInfo {
  std::string_view name;  // of --only and --skip
  std::string_view about;
  std::vector<HostRole> roles;     // runs on hosts with one of these
  std::vector<FindingKind> kinds;  // all that it may report
  bool on_request = false;         // runs only when --only names it
};

class Check {
 public:
  virtual ~Check() = default;
  virtual CheckInfo info() const = 0;
  // Changes nothing on the host; one on request may start a job. Blocks for
  // commands and connections, each for a bounded time.
  virtual std::vector<Finding> Run(const Host& host) const = 0;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_CHECK_H_
