// Every project of the site: asked for, brought together, ended. Each act is
// one transaction in which the rules (project_rules.h) are asked about things
// as they stand in the tables at that moment.
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
#include "backend/identity/person.h"
#include "backend/projects/project_view.h"
#include "backend/projects/projects_config.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. Errors are those of project_rules.h, in words for the person;
// what else the database says is for the log. Whoever sees a project not gets
// NOT_FOUND with the same words as for one that does not exist.
class Projects {
 public:
  static constexpr int kMaxProjects = 2000;  // of the site, closed ones too
  static constexpr int kMaxOwned = 50;       // by one person
  static constexpr int kMaxAsked = 3;  // of one's own that nobody approved yet
  static constexpr int kMaxMembers = 500;   // of a project, with those to be
  static constexpr int kMaxRequests = 100;  // to one project
  static constexpr int kMaxRequested = 20;  // by one person
  // After which a closed project is forgotten: longer than its jobs are kept.
  static constexpr absl::Duration kClosedKept = absl::Hours(24 * 180);

  // Somebody as the site's directory has them; may block for it. NOT_FOUND;
  // other errors, whose words are for the log: it does not say.
  using WhoIs =
      std::function<absl::StatusOr<Person>(const std::string& username)>;
  // All outlive the projects.
  struct Parts {
    Database* database;
    const Clock* clock;
    AuditLog* audit;
    WhoIs who_is;
    // The name of the one person with this e-mail address. NOT_FOUND;
    // FAILED_PRECONDITION: several; other errors are for the log. Null:
    // nobody is found by it.
    std::function<absl::StatusOr<std::string>(const std::string& mail)>
        find_by_mail = {};
  };
  Projects(Parts parts, ProjectsConfig config)
      : parts_(std::move(parts)), config_(std::move(config)) {}

  struct Listing {
    std::vector<ProjectView> projects{};  // by name
    int waiting_for_me = 0;  // also in projects that are not listed
  };
  // PERMISSION_DENIED: `all` is not for this person.
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
  // One of those without an rpc of their own. Nothing: it is forgotten.
  absl::StatusOr<std::optional<ProjectView>> Act(const Person& person,
                                                 const ProjectId& id,
                                                 ProjectAction act);

  // RESOURCE_EXHAUSTED beside the rules' codes.
  absl::StatusOr<ProjectView> Request(const Person& person,
                                      const ProjectId& id);
  // UNAVAILABLE: the directory does not answer. It is asked only for somebody
  // who may invite.
  absl::StatusOr<ProjectView> Invite(const Person& person, const ProjectId& id,
                                     const std::string& username);
  // Of an administrator: makes somebody, by name or else by e-mail address, a
  // member or manager at once. UNAVAILABLE: the directory does not answer.
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
  // Nothing: the person does not see it any more.
  absl::StatusOr<std::optional<ProjectView>> ActOnMember(
      const Person& person, const ProjectId& id, const std::string& username,
      MemberAction act);

  // What a job in a project goes by.
  struct Terms {
    std::string account{};  // Slurm's; empty: the user's own
  };
  // Whether a job of this user begins in it now: JudgeJob's words. REQUIRES: in
  // the body of a transaction or query of the same database.
  absl::StatusOr<Terms> ForJob(Database& db, const std::string& id,
                               Uid uid) const;
  // The same, outside of any.
  absl::StatusOr<Terms> ForJob(const std::string& id, Uid uid);

  // Those in which this user has a place, or all, with the states of this
  // moment.
  absl::StatusOr<std::vector<ProjectRow>> RowsOf(Uid uid, bool all) const;

  // Announces ends, acts on those that have passed, forgets what was closed
  // long ago. Call now and then; what fails is tried again by the next call.
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
  absl::Status TellGuest(Database& db, Uid uid, const Person& host,
                         const ProjectRow& row) const;
  absl::Status TellOne(Database& db, Uid uid, const ProjectRow& row,
                       const std::string& text) const;
  absl::Status Tend(const ProjectId& id);
  // What is due of it now; its row is the caller's to write.
  absl::Status Announce(Database& db, Project* project) const;

  const Parts parts_;
  const ProjectsConfig config_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECTS_H_
