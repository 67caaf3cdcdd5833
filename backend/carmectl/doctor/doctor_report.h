// Runs the checks of a host and formats what they found.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_DOCTOR_REPORT_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_DOCTOR_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {

struct CheckSelection {
  std::vector<std::string> only{};  // names of checks; empty: all
  std::vector<std::string> skip{};
};

struct CheckResult {
  std::string check;
  std::vector<Finding> findings;
};

struct DoctorReport {
  std::vector<std::string> roles;
  std::vector<CheckResult> results;  // of each check that ran
  int Count(Severity severity) const;
};

// Runs the checks that concern a role of the host. INVALID_ARGUMENT: a name of
// the selection is not a check; NOT_FOUND: the host has no role.
absl::StatusOr<DoctorReport> RunChecks(const Host& host,
                                       const CheckSelection& selection);

// For a terminal, the most severe findings last.
std::string FormatReport(const DoctorReport& report);
// {"version":1,"roles":[…],"checks":[{"name":…,"findings":[{"id":…,
// "severity":…,"problem":…,"why":…,"remedy":…}]}],"errors":N,"warnings":N,
// "notes":N}. Fields are added, never renamed or removed.
std::string FormatReportJson(const DoctorReport& report);
// One line for each check, and its findings' ids.
std::string FormatCheckList();

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_DOCTOR_REPORT_H_
