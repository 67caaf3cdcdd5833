// A project and who is in it: plain values.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_H_
#define CARME_BACKEND_PROJECTS_PROJECT_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "common/ids.h"

namespace carme::backend {

// 80 random bits: whoever has it was given it.
using ProjectId = StrongId<struct ProjectIdTag, std::string>;

// The numbers of these are carme.v1's and stand in the tables.

enum class ProjectState {
  kRequested = 1,  // waits for an administrator
  kActive = 2,
  kExpired = 3,
  kClosed = 4,
};

// Where somebody stands in a project.
enum class ProjectRole {
  kNone = 0,
  kInvited = 1,
  kRequested = 2,
  kWaiting = 3,  // both sides said yes, an administrator has not
  kMember = 4,
  kManager = 5,
  kOwner = 6,  // exactly one
};

// Whether jobs of theirs may run in it, as far as they are concerned.
constexpr bool IsMember(ProjectRole project_role) {
  return project_role >= ProjectRole::kMember;
}
// Whether they decide who comes in.
constexpr bool Manages(ProjectRole project_role) {
  return project_role >= ProjectRole::kManager;
}

// What its owner says of it.
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
  // The last announcement of the end that was made: how many days before; 0:
  // none yet.
  int announced_days = 0;
  std::optional<absl::Time> closed_at{};
};

// As it is at this moment: an end that has passed counts before anybody has
// acted on it.
inline ProjectState StateAt(const Project& project, absl::Time now) {
  const bool over = project.expires_at && *project.expires_at <= now;
  return project.state == ProjectState::kActive && over ? ProjectState::kExpired
                                                        : project.state;
}

struct ProjectMember {
  Uid uid = kNoUid;
  std::string username{};  // as it was when they came
  std::string display_name{};
  ProjectRole project_role = ProjectRole::kNone;
  absl::Time since{};
  std::string approved_by{};   // a manager's name
  std::string confirmed_by{};  // an administrator's
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_H_
