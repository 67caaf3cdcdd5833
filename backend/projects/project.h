// A project and its members: plain values.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_H_
#define CARME_BACKEND_PROJECTS_PROJECT_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "common/ids.h"

namespace carme::backend {

// 80 random bits; cannot be guessed.
using ProjectId = StrongId<struct ProjectIdTag, std::string>;

// The numbers are those of carme.v1 and are stored in the tables.

enum class ProjectState {
  kRequested = 1,  // waits for an administrator
  kActive = 2,
  kExpired = 3,
  kClosed = 4,
};

// The role of a user in a project.
enum class ProjectRole {
  kNone = 0,
  kInvited = 1,
  kRequested = 2,
  kWaiting = 3,  // waits for the approval of an administrator
  kMember = 4,
  kManager = 5,
  kOwner = 6,  // exactly one
};

// Whether the role allows jobs in the project.
constexpr bool IsMember(ProjectRole project_role) {
  return project_role >= ProjectRole::kMember;
}
// Whether the role manages members.
constexpr bool Manages(ProjectRole project_role) {
  return project_role >= ProjectRole::kManager;
}

// The settings of the owner.
struct ProjectSettings {
  std::string name{};
  std::string description{};
  std::string classification{};
  bool takes_requests = true;
  friend bool operator==(const ProjectSettings&,
                         const ProjectSettings&) = default;
};

struct Project {
  ProjectId id{};
  ProjectSettings settings{};
  ProjectState state = ProjectState::kRequested;
  absl::Time created_at{};
  std::optional<absl::Time> expires_at{};  // none: never
  std::string account{};                   // Slurm's; empty: each user's own
  // The latest announcement of the end, in days before it; 0: none yet.
  int announced_days = 0;
  std::optional<absl::Time> closed_at{};
};

// The state at `now`: a project is expired from its end on, even before the
// state in the table changes.
inline ProjectState StateAt(const Project& project, absl::Time now) {
  const bool over = project.expires_at && *project.expires_at <= now;
  return project.state == ProjectState::kActive && over ? ProjectState::kExpired
                                                        : project.state;
}

struct ProjectMember {
  Uid uid = kNoUid;
  std::string username{};  // as of the start of the membership
  std::string display_name{};
  ProjectRole project_role = ProjectRole::kNone;
  absl::Time since{};
  std::string approved_by{};   // a manager's name
  std::string confirmed_by{};  // an administrator's
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_H_
