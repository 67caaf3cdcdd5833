// Creates and updates the projects of a course by the API of the portal.
// Idempotent: what matches the plan is not changed.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_COURSE_IMPORT_H_
#define CARME_BACKEND_CARMECTL_PORTAL_COURSE_IMPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/carmectl/portal/course_plan.h"
#include "backend/carmectl/portal/portal_client.h"
#include "carme/v1/template.pb.h"

namespace carme::carmectl {

// The result for a line of the file or its project.
struct ImportResult {
  int line = 0;
  std::string project{};
  std::string
      subject{};  // a person, "template NAME", "limit gpus"; empty: itself
  std::string
      result{};  // "created", "added", "unchanged", "would add", "failed"
  std::string message{};  // why it failed
};

// Not thread-safe.
class CourseImport {
 public:
  // With `dry_run` nothing is changed; the results tell what would be.
  CourseImport(PortalClient* client, bool dry_run)
      : client_(*client), dry_run_(dry_run) {}

  // An error means that nothing was changed: reading the lists failed. Later
  // failures are results, and the import continues.
  absl::Status Run(const std::vector<CourseProject>& plan);

  const std::vector<ImportResult>& results() const { return results_; }
  int failed() const { return failed_; }

 private:
  void Import(const CourseProject& wanted);
  absl::StatusOr<std::optional<v1::Project>> Find(const CourseProject& wanted);
  absl::StatusOr<v1::Project> Create(const CourseProject& wanted);
  absl::Status Settings(const CourseProject& wanted, v1::Project* project);
  absl::Status Terms(const CourseProject& wanted, v1::Project* project);
  void Templates(const CourseProject& wanted, const std::string& project);
  void Limits(const CourseProject& wanted, const std::string& project);
  void Limit(const CourseProject& wanted, const v1::LimitRule& rule,
             const std::vector<v1::LimitRule>& present);
  void Members(const CourseProject& wanted, const v1::Project& project);
  absl::StatusOr<std::string> Member(const CourseMember& member,
                                     const v1::Project& project);
  absl::Status TransferOwnership(const std::string& project,
                                 const std::string& username);
  void Add(int line, const CourseProject& wanted, const std::string& subject,
           const absl::StatusOr<std::string>& result);

  PortalClient& client_;
  const bool dry_run_;
  std::vector<v1::Project> projects_;
  std::vector<v1::Template> templates_;
  std::vector<ImportResult> results_;
  int failed_ = 0;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_COURSE_IMPORT_H_
