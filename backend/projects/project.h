// A project and its members: plain values.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_H_
#define CARME_BACKEND_PROJECTS_PROJECT_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "carme/v1/project.pb.h"
#include "common/ids.h"

namespace carme::backend {

// 80 random bits; cannot be guessed.
using ProjectId = StrongId<struct ProjectIdTag, std::string>;

// Their numbers are stored in the database.
using ProjectState = v1::ProjectState;
// The role of a user in a project. UNSPECIFIED: none. The order is that of the
// rights.
using ProjectRole = v1::ProjectRole;

// Whether the role allows jobs in the project.
constexpr bool IsMember(ProjectRole project_role) {
  return project_role >= v1::PROJECT_ROLE_MEMBER;
}
// Whether the role manages members.
constexpr bool Manages(ProjectRole project_role) {
  return project_role >= v1::PROJECT_ROLE_MANAGER;
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
  ProjectState state = v1::PROJECT_STATE_REQUESTED;
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
  return project.state == v1::PROJECT_STATE_ACTIVE && over
             ? v1::PROJECT_STATE_EXPIRED
             : project.state;
}

struct ProjectMember {
  Uid uid = kNoUid;
  std::string username{};  // as of the start of the membership
  std::string display_name{};
  ProjectRole project_role = v1::PROJECT_ROLE_UNSPECIFIED;
  absl::Time since{};
  std::string approved_by{};   // a manager's name
  std::string confirmed_by{};  // an administrator's
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_H_
