// The projects of the site. Each action is one transaction in which the rules
// (project_rules.h) are applied to the current rows of the tables.
#ifndef CARME_BACKEND_PROJECTS_PROJECTS_H_
#define CARME_BACKEND_PROJECTS_PROJECTS_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/person.h"
#include "backend/projects/project_memberships.h"
#include "backend/projects/project_view.h"
#include "backend/projects/projects_config.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/display_text.h"

namespace carme::backend {

// Thread-safe. Errors are those of project_rules.h with messages for the user;
// errors of the database are for the log. A project that the user cannot see is
// NOT_FOUND with the same message as one that does not exist.
class Projects : public ProjectMemberships {
 public:
  static constexpr int kMaxProjects = 2000;  // of the site, closed ones too
  static constexpr int kMaxOwned = 50;       // by one person
  static constexpr int kMaxAsked = 3;        // unapproved ones of one user
  static constexpr int kMaxMembers = 500;    // of a project, with those to be
  static constexpr int kMaxRequests = 100;   // to one project
  static constexpr int kMaxRequested = 20;   // by one person
  // A closed project is deleted after this time, which exceeds the retention of
  // its jobs.
  static constexpr absl::Duration kClosedKept = absl::Hours(24 * 180);

  // All must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    AuditLog* audit;
    Directory* directory;  // looks up users who are invited or added
  };
  Projects(Parts parts, ProjectsConfig config)
      : parts_(std::move(parts)), config_(std::move(config)) {}

  struct Listing {
    std::vector<ProjectView> projects{};  // by name
    int waiting_for_me = 0;  // also in projects that are not listed
  };
  // PERMISSION_DENIED: `all` is not allowed for this user.
  absl::StatusOr<Listing> List(const Person& person, bool all);
  absl::StatusOr<ProjectView> Get(const Person& person, const ProjectId& id);

  // RESOURCE_EXHAUSTED; INVALID_ARGUMENT.
  absl::StatusOr<ProjectView> Create(const Person& person,
                                     ProjectSettings settings);
  absl::StatusOr<ProjectView> Change(const Person& person, const ProjectId& id,
                                     ProjectSettings settings);
  absl::StatusOr<ProjectView> SetTerms(const Person& person,
                                       const ProjectId& id,
                                       std::optional<absl::Time> expires_at,
                                       const std::string& account);
  // Approves, rejects, closes or reopens a project; INVALID_ARGUMENT for other
  // actions. nullopt: the project was deleted.
  absl::StatusOr<std::optional<ProjectView>> ApplyAction(const Person& person,
                                                         const ProjectId& id,
                                                         ProjectAction act);

  // RESOURCE_EXHAUSTED, and the codes of the rules.
  absl::StatusOr<ProjectView> Request(const Person& person,
                                      const ProjectId& id);
  // UNAVAILABLE: the directory does not respond. It is queried only if the user
  // may invite.
  absl::StatusOr<ProjectView> Invite(const Person& person, const ProjectId& id,
                                     const std::string& username);
  // Adds a member or manager directly, by user name or e-mail address, as an
  // administrator. UNAVAILABLE: the directory does not respond.
  struct Added {
    ProjectView view{};
    std::string username{};
    bool changed = false;  // false: the place was theirs, or a higher one
  };
  absl::StatusOr<Added> AddMember(const Person& administrator,
                                  const ProjectId& id,
                                  const std::string& username,
                                  const std::string& mail,
                                  ProjectRole project_role);
  // Performs an action on a member; nullopt as `username`: on the user. Not
  // kInvite and kRequest (INVALID_ARGUMENT). Returns nullopt if the user can no
  // longer see the project.
  absl::StatusOr<std::optional<ProjectView>> ApplyMemberAction(
      const Person& person, const ProjectId& id,
      const std::optional<std::string>& username, MemberAction act);

  // The settings of a project that apply to its jobs.
  struct JobSettings {
    std::string account{};  // Slurm's; empty: the user's own
  };
  // Whether a job of this user begins in it now: JudgeJob's words. REQUIRES: in
  // the body of a transaction or query of the same database.
  absl::StatusOr<JobSettings> ForJob(Database& db, const std::string& id,
                                     Uid uid) const;
  // The same, outside of any.
  absl::StatusOr<JobSettings> ForJob(const std::string& id, Uid uid);

  // The projects in which this user has a role, or all, with current states.
  absl::StatusOr<std::vector<ProjectRow>> RowsOf(Uid uid, bool all) const;

  absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
      Uid uid, bool all) const override;

  // Announces ends, expires projects, and deletes old closed ones. Call
  // periodically; failures are retried by the next call.
  void Sweep();

  const ProjectsConfig& config() const { return config_; }

 private:
  Viewer ViewerOf(const Person& person) const {
    return {person, config_.require_admin_approval, parts_.clock->Now()};
  }
  // One transaction: reads the project, judges and edits it, and gives what has
  // become of it; an edit that sets `*gone` has deleted it. `state` is that of
  // this moment, the row's that of the table.
  using Edit = std::function<absl::Status(Database&, ProjectRow* row,
                                          ProjectState state, bool* gone)>;
  absl::StatusOr<std::optional<ProjectView>> Edited(const Person& person,
                                                    const ProjectId& id,
                                                    const Edit& edit);
  absl::Status CheckRoom(Database& db, const Person& person) const;
  // As the directory has them. NOT_FOUND, FAILED_PRECONDITION, UNAVAILABLE: in
  // words for an administrator.
  absl::StatusOr<Person> FindPerson(const std::string& username,
                                    const std::string& mail) const;
  absl::Status LetIn(Database& db, const ProjectRow& row,
                     const Person& newcomer, ProjectMember member,
                     ProjectRole project_role) const;
  absl::Status Move(Database& db, const ProjectRow& row, const Person& actor,
                    ProjectMember target, MemberAction act,
                    ProjectRole project_role) const;
  absl::Status HandOver(Database& db, const ProjectRow& row,
                        const Person& actor) const;
  absl::Status NotifyInvitee(Database& db, Uid uid, const Person& host,
                             const ProjectRow& row) const;
  absl::Status NotifyUser(Database& db, Uid uid, const ProjectRow& row,
                          const DisplayText& text) const;
  absl::Status Tend(const ProjectId& id);
  // Makes the announcements that are due; the caller writes the row.
  absl::Status Announce(Database& db, Project* project) const;

  const Parts parts_;
  const ProjectsConfig config_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECTS_H_
