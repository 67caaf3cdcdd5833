// The rules of projects as a truth table over everything that they depend on.
// Each act's rule is written here a second time, on purpose: a change of the
// rules fails here until this table is changed, too.
#include "backend/projects/project_rules.h"

#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "backend/projects/messages.h"
#include "common/protobuf/message_error.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using Places = std::set<ProjectRole>;

const std::vector<ProjectRole> kPlaces = {
    v1::PROJECT_ROLE_UNSPECIFIED, v1::PROJECT_ROLE_INVITED,
    v1::PROJECT_ROLE_REQUESTED,   v1::PROJECT_ROLE_WAITING,
    v1::PROJECT_ROLE_MEMBER,      v1::PROJECT_ROLE_MANAGER,
    v1::PROJECT_ROLE_OWNER};
const std::vector<Role> kRoles = {Role::kUser, Role::kManager, Role::kSupport,
                                  Role::kAdmin};
const std::vector<ProjectState> kStates = {
    v1::PROJECT_STATE_REQUESTED, v1::PROJECT_STATE_ACTIVE,
    v1::PROJECT_STATE_EXPIRED, v1::PROJECT_STATE_CLOSED};

struct Row {
  bool self_only = false;
  Places by{};  // places of the project that may, on others
  bool administrators = false;
  Places from{};
  bool only_active = false;
};

const Places kManagers = {v1::PROJECT_ROLE_MANAGER, v1::PROJECT_ROLE_OWNER};
const Places kOwner = {v1::PROJECT_ROLE_OWNER};

const std::map<MemberAction, Row> kTable = {
    {MemberAction::kRequest,
     {.self_only = true,
      .from = {v1::PROJECT_ROLE_UNSPECIFIED},
      .only_active = true}},
    {MemberAction::kAccept,
     {.self_only = true,
      .from = {v1::PROJECT_ROLE_INVITED},
      .only_active = true}},
    {MemberAction::kDecline,
     {.self_only = true, .from = {v1::PROJECT_ROLE_INVITED}}},
    {MemberAction::kWithdraw,
     {.self_only = true, .from = {v1::PROJECT_ROLE_REQUESTED}}},
    {MemberAction::kLeave,
     {.self_only = true,
      .from = {v1::PROJECT_ROLE_WAITING, v1::PROJECT_ROLE_MEMBER,
               v1::PROJECT_ROLE_MANAGER}}},
    {MemberAction::kInvite,
     {.by = kManagers,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_UNSPECIFIED},
      .only_active = true}},
    {MemberAction::kApprove,
     {.by = kManagers,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_REQUESTED},
      .only_active = true}},
    {MemberAction::kReject,
     {.by = kManagers,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_REQUESTED}}},
    {MemberAction::kRevoke,
     {.by = kManagers,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_INVITED}}},
    {MemberAction::kRemove,
     {.by = kManagers,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_WAITING, v1::PROJECT_ROLE_MEMBER,
               v1::PROJECT_ROLE_MANAGER}}},
    {MemberAction::kConfirm,
     {.administrators = true,
      .from = {v1::PROJECT_ROLE_WAITING},
      .only_active = true}},
    {MemberAction::kRefuse,
     {.administrators = true, .from = {v1::PROJECT_ROLE_WAITING}}},
    {MemberAction::kPromote,
     {.by = kOwner, .administrators = true, .from = {v1::PROJECT_ROLE_MEMBER}}},
    {MemberAction::kDemote,
     {.by = kOwner,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_MANAGER}}},
    {MemberAction::kTransferOwnership,
     {.by = kOwner,
      .administrators = true,
      .from = {v1::PROJECT_ROLE_MANAGER}}},
};

ProjectRole Destination(MemberAction act, bool confirms) {
  switch (act) {
    case MemberAction::kRequest:
      return v1::PROJECT_ROLE_REQUESTED;
    case MemberAction::kInvite:
      return v1::PROJECT_ROLE_INVITED;
    case MemberAction::kAccept:
    case MemberAction::kApprove:
      return confirms ? v1::PROJECT_ROLE_WAITING : v1::PROJECT_ROLE_MEMBER;
    case MemberAction::kConfirm:
    case MemberAction::kDemote:
      return v1::PROJECT_ROLE_MEMBER;
    case MemberAction::kPromote:
      return v1::PROJECT_ROLE_MANAGER;
    case MemberAction::kTransferOwnership:
      return v1::PROJECT_ROLE_OWNER;
    default:
      return v1::PROJECT_ROLE_UNSPECIFIED;
  }
}

// The result that the table requires.
absl::StatusCode Expected(const MemberActionInput& asked) {
  using Code = absl::StatusCode;
  const Row& row = kTable.at(asked.act);
  const bool admin = asked.role == Role::kAdmin;
  const bool asks = asked.act == MemberAction::kRequest;
  const bool sees = asked.actor != v1::PROJECT_ROLE_UNSPECIFIED || admin ||
                    asked.role == Role::kSupport;
  if (!sees && !(asks && asked.is_self && asked.takes_requests &&
                 asked.state == v1::PROJECT_STATE_ACTIVE)) {
    return Code::kNotFound;
  }
  bool may = row.by.contains(asked.actor) || (row.administrators && admin);
  if (row.self_only) may = asked.is_self;
  if (asked.act == MemberAction::kDemote && asked.is_self) may = true;
  if (asked.act == MemberAction::kRemove &&
      asked.target == v1::PROJECT_ROLE_MANAGER &&
      asked.actor == v1::PROJECT_ROLE_MANAGER && !admin) {
    may = false;
  }
  if (asks && !asked.takes_requests) may = false;
  if (!may) return Code::kPermissionDenied;
  if (asked.state == v1::PROJECT_STATE_REQUESTED)
    return Code::kFailedPrecondition;
  if (row.only_active && asked.state != v1::PROJECT_STATE_ACTIVE) {
    return Code::kFailedPrecondition;
  }
  if (row.from.contains(asked.target)) return Code::kOk;
  return asked.target == v1::PROJECT_ROLE_UNSPECIFIED
             ? Code::kNotFound
             : Code::kFailedPrecondition;
}

void ForEachQuestion(
    const std::function<void(const MemberActionInput&)>& visit) {
  for (const MemberAction act : kMemberActions) {
    for (const Role role : kRoles) {
      for (const ProjectRole actor : kPlaces) {
        for (const ProjectRole target : kPlaces) {
          for (const ProjectState state : kStates) {
            for (const bool is_self : {false, true}) {
              // A member has one role.
              if (is_self && actor != target) continue;
              for (const bool takes : {false, true}) {
                for (const bool confirms : {false, true}) {
                  visit({act, role, actor, is_self, target, state, takes,
                         confirms});
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("project rules: truth table of every act, role, role and state",
          "[backend]") {
  REQUIRE(kTable.size() == kMemberActions.size());
  int questions = 0;
  int allowed = 0;
  int wrong = 0;
  ForEachQuestion([&](const MemberActionInput& asked) {
    ++questions;
    const absl::StatusOr<ProjectRole> said = Judge(asked);
    const absl::StatusCode expected = Expected(asked);
    const bool right =
        said.status().code() == expected &&
        (!said.ok() ||
         *said == Destination(asked.act, asked.require_admin_approval));
    allowed += said.ok() ? 1 : 0;
    if (right) return;
    if (++wrong > 5) return;
    CAPTURE(static_cast<int>(asked.act), static_cast<int>(asked.role),
            static_cast<int>(asked.actor), asked.is_self,
            static_cast<int>(asked.target), static_cast<int>(asked.state),
            asked.takes_requests, asked.require_admin_approval);
    CAPTURE(static_cast<int>(expected), said.status().ToString());
    CHECK(right);
  });
  CHECK(wrong == 0);
  CHECK(questions == 15 * 4 * 4 * (49 + 7) * 4);
  CHECK(allowed > 100);
}

TEST_CASE("project rules: a project looks missing to outsiders", "[backend]") {
  // With its details: a reason must not reveal what the text hides.
  const absl::Status missing = MakeError(project_messages::kNotFound);
  CHECK_THAT(missing,
             StatusIs(absl::StatusCode::kNotFound, "project not found"));
  ForEachQuestion([&](const MemberActionInput& asked) {
    if (asked.actor != v1::PROJECT_ROLE_UNSPECIFIED ||
        ReadsEverything(asked.role))
      return;
    const absl::StatusOr<ProjectRole> said = Judge(asked);
    if (said.ok()) {
      CHECK(asked.act == MemberAction::kRequest);
      CHECK(asked.is_self);
    } else if (said.status() != missing) {
      FAIL_CHECK("says " << said.status());
    }
  });
}

// Whose consent an act needs: the person's, a manager's, an administrator's.
enum Voice { kOwnVoice = 1, kManagersVoice = 2, kAdministratorsVoice = 4 };

// Every state that an outsider can reach, with the consents that led to it,
// for each possible actor: the person themselves, and others of every place and
// role.
std::set<std::pair<ProjectRole, int>> Reachable(bool confirms) {
  std::set<std::pair<ProjectRole, int>> seen = {
      {v1::PROJECT_ROLE_UNSPECIFIED, 0}};
  std::deque<std::pair<ProjectRole, int>> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const auto [project_role, voices] = open.front();
    open.pop_front();
    const auto step = [&](MemberActionInput asked, int voice) {
      asked.target = project_role;
      asked.require_admin_approval = confirms;
      const absl::StatusOr<ProjectRole> to = Judge(asked);
      if (!to.ok()) return;
      // A former member starts again without consents.
      const int spoken =
          *to == v1::PROJECT_ROLE_UNSPECIFIED ? 0 : voices | voice;
      if (seen.insert({*to, spoken}).second) open.push_back({*to, spoken});
    };
    for (const MemberAction act : kMemberActions) {
      for (const ProjectState state : kStates) {
        step({.act = act,
              .actor = project_role,
              .is_self = true,
              .state = state},
             kOwnVoice);
        for (const ProjectRole other : kPlaces) {
          for (const Role role : kRoles) {
            int voice = Manages(other) ? kManagersVoice : 0;
            // An administrator speaks for both.
            if (role == Role::kAdmin) {
              voice = kManagersVoice | kAdministratorsVoice;
            }
            step({.act = act, .role = role, .actor = other, .state = state},
                 voice);
          }
        }
      }
    }
  }
  return seen;
}

TEST_CASE("project rules: a member needs own, manager's and configured consent",
          "[backend]") {
  for (const bool confirms : {false, true}) {
    std::set<ProjectRole> places;
    for (const auto& [project_role, voices] : Reachable(confirms)) {
      places.insert(project_role);
      if (!IsMember(project_role) && project_role != v1::PROJECT_ROLE_WAITING)
        continue;
      CHECK((voices & kOwnVoice) != 0);
      CHECK((voices & kManagersVoice) != 0);
      if (confirms && IsMember(project_role)) {
        CHECK((voices & kAdministratorsVoice) != 0);
      }
    }
    // Every state is reachable, except waiting where no approval is required.
    CHECK(places.size() == (confirms ? kPlaces.size() : kPlaces.size() - 1));
  }
}

TEST_CASE("project rules: truth table of the project as a whole", "[backend]") {
  using Code = absl::StatusCode;
  struct Rule {
    Places by;
    std::set<ProjectState> in;
  };
  const std::set<ProjectState> open = {v1::PROJECT_STATE_REQUESTED,
                                       v1::PROJECT_STATE_ACTIVE,
                                       v1::PROJECT_STATE_EXPIRED};
  // Administrators may all of it, and the role manager decides about requested
  // projects of others.
  const std::set<ProjectAction> decisions = {v1::PROJECT_ACTION_APPROVE,
                                             v1::PROJECT_ACTION_REJECT};
  const std::map<ProjectAction, Rule> table = {
      {v1::PROJECT_ACTION_APPROVE, {{}, {v1::PROJECT_STATE_REQUESTED}}},
      {v1::PROJECT_ACTION_REJECT, {{}, {v1::PROJECT_STATE_REQUESTED}}},
      {v1::PROJECT_ACTION_REOPEN, {{}, {v1::PROJECT_STATE_CLOSED}}},
      {v1::PROJECT_ACTION_SET_TERMS, {{}, open}},
      {v1::PROJECT_ACTION_CLOSE, {kOwner, open}},
      {v1::PROJECT_ACTION_CHANGE, {kOwner, open}},
      {v1::PROJECT_ACTION_INVITE, {kManagers, {v1::PROJECT_STATE_ACTIVE}}}};
  REQUIRE(table.size() == kProjectActions.size());
  for (const auto& [act, rule] : table) {
    for (const Role role : kRoles) {
      for (const ProjectRole actor : kPlaces) {
        for (const ProjectState state : kStates) {
          CAPTURE(static_cast<int>(act), static_cast<int>(role),
                  static_cast<int>(actor), static_cast<int>(state));
          Code expected =
              rule.in.contains(state) ? Code::kOk : Code::kFailedPrecondition;
          const bool decides =
              role == Role::kManager && actor != v1::PROJECT_ROLE_OWNER;
          if (role != Role::kAdmin && !rule.by.contains(actor) &&
              !(decides && decisions.contains(act))) {
            expected = Code::kPermissionDenied;
          }
          if (actor == v1::PROJECT_ROLE_UNSPECIFIED && !ReadsEverything(role) &&
              !(decides && state == v1::PROJECT_STATE_REQUESTED)) {
            expected = Code::kNotFound;
          }
          CHECK_THAT(Judge(act, role, actor, state), StatusIs(expected));
        }
      }
    }
  }
}

TEST_CASE("project rules: jobs are for members of a project that runs",
          "[backend]") {
  for (const ProjectRole project_role : kPlaces) {
    for (const ProjectState state : kStates) {
      CAPTURE(static_cast<int>(project_role), static_cast<int>(state));
      const bool may = (project_role == v1::PROJECT_ROLE_MEMBER ||
                        project_role == v1::PROJECT_ROLE_MANAGER ||
                        project_role == v1::PROJECT_ROLE_OWNER) &&
                       state == v1::PROJECT_STATE_ACTIVE;
      CHECK(JudgeJob(project_role, state).ok() == may);
      CHECK(absl::IsNotFound(JudgeJob(project_role, state)) ==
            (project_role == v1::PROJECT_ROLE_UNSPECIFIED));
    }
  }
}

TEST_CASE("project rules: a user's project always waits for an administrator",
          "[backend]") {
  for (const bool confirms : {false, true}) {
    CHECK(BeginsAs(Role::kUser, confirms) == v1::PROJECT_STATE_REQUESTED);
    CHECK(BeginsAs(Role::kSupport, confirms) == v1::PROJECT_STATE_REQUESTED);
    CHECK(BeginsAs(Role::kAdmin, confirms) == v1::PROJECT_STATE_ACTIVE);
  }
  CHECK(BeginsAs(Role::kManager, true) == v1::PROJECT_STATE_REQUESTED);
  CHECK(BeginsAs(Role::kManager, false) == v1::PROJECT_STATE_ACTIVE);
}

}  // namespace
}  // namespace carme::backend
