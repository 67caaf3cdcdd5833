// The rules of projects as a truth table over everything that they depend on.
// Each act's rule is written here a second time, on purpose: a change of the
// rules fails here until somebody has said what was meant.
#include "backend/projects/project_rules.h"

#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace carme::backend {
namespace {

using P = Place;
using Places = std::set<Place>;

const std::vector<Place> kPlaces = {P::kNone,    P::kInvited, P::kRequested,
                                    P::kWaiting, P::kMember,  P::kManager,
                                    P::kOwner};
const std::vector<Role> kRoles = {Role::kUser, Role::kManager, Role::kSupport,
                                  Role::kAdmin};
const std::vector<ProjectState> kStates = {
    ProjectState::kRequested, ProjectState::kActive, ProjectState::kExpired,
    ProjectState::kClosed};

struct Row {
  bool self_only = false;
  Places by{};  // places of the project that may, on others
  bool administrators = false;
  Places from{};
  bool only_active = false;
};

const Places kManagers = {P::kManager, P::kOwner};
const Places kOwner = {P::kOwner};

const std::map<MemberAct, Row> kTable = {
    {MemberAct::kRequest,
     {.self_only = true, .from = {P::kNone}, .only_active = true}},
    {MemberAct::kAccept,
     {.self_only = true, .from = {P::kInvited}, .only_active = true}},
    {MemberAct::kDecline, {.self_only = true, .from = {P::kInvited}}},
    {MemberAct::kWithdraw, {.self_only = true, .from = {P::kRequested}}},
    {MemberAct::kLeave,
     {.self_only = true, .from = {P::kWaiting, P::kMember, P::kManager}}},
    {MemberAct::kInvite,
     {.by = kManagers,
      .administrators = true,
      .from = {P::kNone},
      .only_active = true}},
    {MemberAct::kApprove,
     {.by = kManagers,
      .administrators = true,
      .from = {P::kRequested},
      .only_active = true}},
    {MemberAct::kReject,
     {.by = kManagers, .administrators = true, .from = {P::kRequested}}},
    {MemberAct::kRevoke,
     {.by = kManagers, .administrators = true, .from = {P::kInvited}}},
    {MemberAct::kRemove,
     {.by = kManagers,
      .administrators = true,
      .from = {P::kWaiting, P::kMember, P::kManager}}},
    {MemberAct::kConfirm,
     {.administrators = true, .from = {P::kWaiting}, .only_active = true}},
    {MemberAct::kRefuse, {.administrators = true, .from = {P::kWaiting}}},
    {MemberAct::kMakeManager,
     {.by = kOwner, .administrators = true, .from = {P::kMember}}},
    {MemberAct::kUnmakeManager,
     {.by = kOwner, .administrators = true, .from = {P::kManager}}},
    {MemberAct::kHandOver,
     {.by = kOwner, .administrators = true, .from = {P::kManager}}},
};

Place Destination(MemberAct act, bool confirms) {
  switch (act) {
    case MemberAct::kRequest:
      return P::kRequested;
    case MemberAct::kInvite:
      return P::kInvited;
    case MemberAct::kAccept:
    case MemberAct::kApprove:
      return confirms ? P::kWaiting : P::kMember;
    case MemberAct::kConfirm:
    case MemberAct::kUnmakeManager:
      return P::kMember;
    case MemberAct::kMakeManager:
      return P::kManager;
    case MemberAct::kHandOver:
      return P::kOwner;
    default:
      return P::kNone;
  }
}

// What must come of it, as the table says.
absl::StatusCode Expected(const MemberQuestion& asked) {
  using Code = absl::StatusCode;
  const Row& row = kTable.at(asked.act);
  const bool admin = asked.role == Role::kAdmin;
  const bool asks = asked.act == MemberAct::kRequest;
  const bool sees =
      asked.actor != P::kNone || admin || asked.role == Role::kSupport;
  if (!sees && !(asks && asked.is_self && asked.takes_requests &&
                 asked.state == ProjectState::kActive)) {
    return Code::kNotFound;
  }
  bool may = row.by.contains(asked.actor) || (row.administrators && admin);
  if (row.self_only) may = asked.is_self;
  if (asked.act == MemberAct::kUnmakeManager && asked.is_self) may = true;
  if (asked.act == MemberAct::kRemove && asked.target == P::kManager &&
      asked.actor == P::kManager && !admin) {
    may = false;
  }
  if (asks && !asked.takes_requests) may = false;
  if (!may) return Code::kPermissionDenied;
  if (asked.state == ProjectState::kRequested) return Code::kFailedPrecondition;
  if (row.only_active && asked.state != ProjectState::kActive) {
    return Code::kFailedPrecondition;
  }
  if (row.from.contains(asked.target)) return Code::kOk;
  return asked.target == P::kNone ? Code::kNotFound : Code::kFailedPrecondition;
}

void ForEachQuestion(const std::function<void(const MemberQuestion&)>& visit) {
  for (const MemberAct act : kMemberActs) {
    for (const Role role : kRoles) {
      for (const Place actor : kPlaces) {
        for (const Place target : kPlaces) {
          for (const ProjectState state : kStates) {
            for (const bool is_self : {false, true}) {
              // Nobody stands in two places.
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

TEST_CASE("project rules: truth table of every act, place, role and state",
          "[backend]") {
  REQUIRE(kTable.size() == kMemberActs.size());
  int questions = 0;
  int allowed = 0;
  int wrong = 0;
  ForEachQuestion([&](const MemberQuestion& asked) {
    ++questions;
    const absl::StatusOr<Place> said = Judge(asked);
    const absl::StatusCode expected = Expected(asked);
    const bool right =
        said.status().code() == expected &&
        (!said.ok() ||
         *said == Destination(asked.act, asked.administrator_confirms));
    allowed += said.ok() ? 1 : 0;
    if (right) return;
    if (++wrong > 5) return;
    CAPTURE(static_cast<int>(asked.act), static_cast<int>(asked.role),
            static_cast<int>(asked.actor), asked.is_self,
            static_cast<int>(asked.target), static_cast<int>(asked.state),
            asked.takes_requests, asked.administrator_confirms);
    CAPTURE(static_cast<int>(expected), said.status().ToString());
    CHECK(right);
  });
  CHECK(wrong == 0);
  CHECK(questions == 15 * 4 * 4 * (49 + 7) * 4);
  CHECK(allowed > 100);
}

TEST_CASE("project rules: an outsider cannot tell a project from none",
          "[backend]") {
  ForEachQuestion([](const MemberQuestion& asked) {
    if (asked.actor != P::kNone || ReadsEverything(asked.role)) return;
    const absl::StatusOr<Place> said = Judge(asked);
    if (said.ok()) {
      CHECK(asked.act == MemberAct::kRequest);
      CHECK(asked.is_self);
    } else if (said.status() !=
               absl::NotFoundError("there is no such project")) {
      FAIL_CHECK("says " << said.status());
    }
  });
}

// Whom an act needs: the one it is about, a manager's side, an administrator.
enum Voice { kOwnVoice = 1, kManagersVoice = 2, kAdministratorsVoice = 4 };

// Everything that somebody who stands outside can come to, with the voices that
// spoke for it, each actor as they may be: the person themselves, somebody else
// of every place and role.
std::set<std::pair<Place, int>> Reachable(bool confirms) {
  std::set<std::pair<Place, int>> seen = {{P::kNone, 0}};
  std::deque<std::pair<Place, int>> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const auto [place, voices] = open.front();
    open.pop_front();
    const auto step = [&](MemberQuestion asked, int voice) {
      asked.target = place;
      asked.administrator_confirms = confirms;
      const absl::StatusOr<Place> to = Judge(asked);
      if (!to.ok()) return;
      // Who is out again begins anew.
      const int spoken = *to == P::kNone ? 0 : voices | voice;
      if (seen.insert({*to, spoken}).second) open.push_back({*to, spoken});
    };
    for (const MemberAct act : kMemberActs) {
      for (const ProjectState state : kStates) {
        step({.act = act, .actor = place, .is_self = true, .state = state},
             kOwnVoice);
        for (const Place other : kPlaces) {
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

TEST_CASE(
    "project rules: nobody becomes a member without their own and the "
    "managers' word, and an administrator's where the site wants it",
    "[backend]") {
  for (const bool confirms : {false, true}) {
    std::set<Place> places;
    for (const auto& [place, voices] : Reachable(confirms)) {
      places.insert(place);
      if (!IsMember(place) && place != P::kWaiting) continue;
      CHECK((voices & kOwnVoice) != 0);
      CHECK((voices & kManagersVoice) != 0);
      if (confirms && IsMember(place)) {
        CHECK((voices & kAdministratorsVoice) != 0);
      }
    }
    // Everything can be reached, but nobody waits where nobody confirms.
    CHECK(places.size() == (confirms ? kPlaces.size() : kPlaces.size() - 1));
  }
}

TEST_CASE("project rules: truth table of the project as a whole", "[backend]") {
  using Code = absl::StatusCode;
  struct Rule {
    Places by;
    std::set<ProjectState> in;
  };
  const std::set<ProjectState> open = {
      ProjectState::kRequested, ProjectState::kActive, ProjectState::kExpired};
  // Administrators may all of it, and the role manager decides about requested
  // projects of others.
  const std::set<ProjectAct> decisions = {ProjectAct::kApprove,
                                          ProjectAct::kRefuse};
  const std::map<ProjectAct, Rule> table = {
      {ProjectAct::kApprove, {{}, {ProjectState::kRequested}}},
      {ProjectAct::kRefuse, {{}, {ProjectState::kRequested}}},
      {ProjectAct::kReopen, {{}, {ProjectState::kClosed}}},
      {ProjectAct::kSetTerms, {{}, open}},
      {ProjectAct::kClose, {kOwner, open}},
      {ProjectAct::kChange, {kOwner, open}},
      {ProjectAct::kInvite, {kManagers, {ProjectState::kActive}}}};
  REQUIRE(table.size() == kProjectActs.size());
  for (const auto& [act, rule] : table) {
    for (const Role role : kRoles) {
      for (const Place actor : kPlaces) {
        for (const ProjectState state : kStates) {
          CAPTURE(static_cast<int>(act), static_cast<int>(role),
                  static_cast<int>(actor), static_cast<int>(state));
          Code expected =
              rule.in.contains(state) ? Code::kOk : Code::kFailedPrecondition;
          const bool decides = role == Role::kManager && actor != P::kOwner;
          if (role != Role::kAdmin && !rule.by.contains(actor) &&
              !(decides && decisions.contains(act))) {
            expected = Code::kPermissionDenied;
          }
          if (actor == P::kNone && !ReadsEverything(role) &&
              !(decides && state == ProjectState::kRequested)) {
            expected = Code::kNotFound;
          }
          CHECK(Judge(act, role, actor, state).code() == expected);
        }
      }
    }
  }
}

TEST_CASE("project rules: jobs are for members of a project that runs",
          "[backend]") {
  for (const Place place : kPlaces) {
    for (const ProjectState state : kStates) {
      CAPTURE(static_cast<int>(place), static_cast<int>(state));
      const bool may =
          (place == P::kMember || place == P::kManager || place == P::kOwner) &&
          state == ProjectState::kActive;
      CHECK(JudgeJob(place, state).ok() == may);
      CHECK(absl::IsNotFound(JudgeJob(place, state)) == (place == P::kNone));
    }
  }
}

TEST_CASE("project rules: a user's project always waits for an administrator",
          "[backend]") {
  for (const bool confirms : {false, true}) {
    CHECK(BeginsAs(Role::kUser, confirms) == ProjectState::kRequested);
    CHECK(BeginsAs(Role::kSupport, confirms) == ProjectState::kRequested);
    CHECK(BeginsAs(Role::kAdmin, confirms) == ProjectState::kActive);
  }
  CHECK(BeginsAs(Role::kManager, true) == ProjectState::kRequested);
  CHECK(BeginsAs(Role::kManager, false) == ProjectState::kActive);
}

}  // namespace
}  // namespace carme::backend
