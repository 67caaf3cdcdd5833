// Parses the CSV file of a course (`carmectl project import`) into projects
// with members.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_COURSE_PLAN_H_
#define CARME_BACKEND_CARMECTL_PORTAL_COURSE_PLAN_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/limit.pb.h"
#include "carme/v1/project.pb.h"

namespace carme::carmectl {

struct CourseMember {
  int line = 0;
  std::string username{};                           // either this
  std::string email{};                              // or this
  v1::ProjectRole place = v1::PROJECT_ROLE_MEMBER;  // MANAGER, OWNER

  const std::string& who() const { return username.empty() ? email : username; }
};

struct CourseProject {
  int line = 0;        // the first that names it
  std::string name{};  // or its id
  // Absent: as it is.
  std::optional<std::string> description{};
  std::optional<std::string> classification{};
  std::optional<std::string> account{};
  std::optional<absl::Time> expires_at{};
  std::vector<std::string> templates{};         // names or ids
  std::map<v1::LimitMetric, int64_t> limits{};  // of all of its jobs together
  std::map<v1::LimitMetric, int64_t> member_limits{};  // of each member
  std::vector<CourseMember> members{};
};

// Columns: project (required); username or email; role (member, manager,
// owner); description, classification, account, expires, templates (with ";"
// between); limit.METRIC and member.METRIC, e.g. limit.gpus. What concerns the
// project need be on one of its lines only. INVALID_ARGUMENT lists every fault
// with its line: an unknown column, two values for one project, two owners, a
// person twice.
absl::StatusOr<std::vector<CourseProject>> ParseCourse(std::string_view csv);

// "gpus_per_job" and the like; INVALID_ARGUMENT.
absl::StatusOr<v1::LimitMetric> ParseMetric(std::string_view text);
std::string MetricText(v1::LimitMetric metric);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_COURSE_PLAN_H_
