#include "backend/projects/projects.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

Person PersonNamed(const std::string& name, uint32_t uid,
                   Role role = Role::kUser) {
  return {.username = name,
          .display_name = "Dr. " + name,
          .uid = Uid(uid),
          .role = role};
}

const Person kAda = PersonNamed("ada", 20001);
const Person kBob = PersonNamed("bob", 20002);
const Person kCarol = PersonNamed("carol", 20003, Role::kAdmin);
const Person kSam = PersonNamed("sam", 20004, Role::kSupport);
const Person kFay = PersonNamed("fay", 20005, Role::kManager);

struct Site {
  explicit Site(bool require_admin_approval = true)
      : projects({.database = database.get(),
                  .clock = &clock,
                  .audit = audit.get(),
                  .directory = &directory},
                 {.require_admin_approval = require_admin_approval,
                  .classifications = {"internal", "public"}}) {}

  absl::StatusOr<Person> FindPerson(const std::string& name) {
    asked.push_back(name);
    if (away) return absl::UnavailableError("ldap: no answer");
    for (const Person& person : {kAda, kBob, kCarol, kSam, kFay}) {
      if (person.username == name) return person;
    }
    return absl::NotFoundError("nobody");
  }

  // A project of Ada's that an administrator has approved.
  ProjectId Chem() {
    const auto made = projects.Create(kAda, {.name = "Chem"});
    REQUIRE_THAT(made, IsOk());
    const ProjectId id = made->row.project.id;
    REQUIRE_THAT(projects.ApplyAction(kCarol, id, v1::PROJECT_ACTION_APPROVE),
                 IsOk());
    return id;
  }
  // Bob's place in it.
  ProjectRole BobsPlace(const ProjectId& id) {
    const auto view = projects.Get(kSam, id);
    REQUIRE_THAT(view, IsOk());
    for (const MemberView& one : view->members) {
      if (one.member.uid == kBob.uid) return one.member.project_role;
    }
    return v1::PROJECT_ROLE_UNSPECIFIED;
  }
  void Join(const ProjectId& id, const Person& person) {
    REQUIRE_THAT(projects.Invite(kAda, id, person.username), IsOk());
    REQUIRE_THAT(projects.ApplyMemberAction(person, id, person.username,
                                            MemberAction::kAccept),
                 IsOk());
    if (projects.config().require_admin_approval) {
      REQUIRE_THAT(projects.ApplyMemberAction(kCarol, id, person.username,
                                              MemberAction::kConfirm),
                   IsOk());
    }
  }
  std::vector<std::string> NoticesOf(const Person& person) {
    std::vector<std::string> texts;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement row = db.Prepare(
                            "SELECT text FROM events WHERE "
                            "uid=?1 ORDER BY id")
                          .value();
      row.Bind(1, int64_t{person.uid.value()});
      while (row.Step().value()) texts.push_back(row.Text(0));
      return absl::OkStatus();
    }),
                 IsOk());
    return texts;
  }

  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit =
      AuditLog::Open(database.get(), &clock).value();
  std::vector<std::string> asked;  // of the directory
  bool away = false;               // the directory
  FakeDirectory directory{
      [this](const std::string& name) { return FindPerson(name); }};
  Projects projects;
};

TEST_CASE("projects: a project of others is not found", "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  const ProjectId none(NewJobId().value());
  Projects& projects = site.projects;
  const absl::Status unknown = projects.Get(kBob, none).status();
  CHECK(absl::IsNotFound(unknown));
  CHECK(projects.Get(kBob, id).status() == unknown);
  CHECK(projects.Change(kBob, id, {.name = "x"}).status() == unknown);
  CHECK(projects.ApplyAction(kBob, id, v1::PROJECT_ACTION_CLOSE).status() ==
        unknown);
  CHECK(projects.Invite(kBob, id, "fay").status() == unknown);
  CHECK(projects.Invite(kBob, none, "fay").status() == unknown);
  CHECK(projects.ApplyMemberAction(kBob, id, "ada", MemberAction::kRemove)
            .status() == unknown);
  CHECK(projects.SetTerms(kBob, id, {}, "").status() == unknown);
  CHECK(projects.List(kBob, false)->projects.empty());
  CHECK(absl::IsPermissionDenied(projects.List(kBob, true).status()));
  // The directory was not queried: users of the site are not revealed.
  CHECK(site.asked.empty());
  CHECK(projects.List(kSam, true)->projects.size() == 1);
  CHECK(projects.List(kSam, false)->projects.empty());
}

TEST_CASE("projects: an unapproved project cannot be used", "[backend]") {
  Site site;
  const auto made = site.projects.Create(kAda, {.name = "Chem"});
  REQUIRE_THAT(made, IsOk());
  const ProjectId id = made->row.project.id;
  CHECK(made->row.project.state == v1::PROJECT_STATE_REQUESTED);
  CHECK(made->row.owner == "ada");
  CHECK_FALSE(made->usable);
  CHECK(absl::IsFailedPrecondition(
      site.projects.Invite(kAda, id, "bob").status()));
  CHECK(absl::IsNotFound(site.projects.Request(kBob, id).status()));
  CHECK(absl::IsFailedPrecondition(
      site.projects.ForJob(id.value(), kAda.uid).status()));
  CHECK(absl::IsPermissionDenied(
      site.projects.ApplyAction(kAda, id, v1::PROJECT_ACTION_APPROVE)
          .status()));
  CHECK(site.projects.List(kCarol, false)->waiting_for_me == 1);
  // Refused it is gone, and another may be asked for.
  REQUIRE_THAT(site.projects.ApplyAction(kCarol, id, v1::PROJECT_ACTION_REJECT),
               IsOk());
  CHECK(absl::IsNotFound(site.projects.Get(kAda, id).status()));
  CHECK(site.NoticesOf(kAda) ==
        std::vector<std::string>{"An administrator has refused your project "
                                 "\"Chem\"."});
}

TEST_CASE("projects: a manager of the site sees and decides others' requests",
          "[backend]") {
  Site site;
  const ProjectId running = site.Chem();
  const auto made = site.projects.Create(kAda, {.name = "Bio"});
  REQUIRE_THAT(made, IsOk());
  const ProjectId id = made->row.project.id;
  const auto listing = site.projects.List(kFay, false);
  REQUIRE_THAT(listing, IsOk());
  CHECK(listing->waiting_for_me == 1);
  REQUIRE(listing->projects.size() == 1);
  CHECK(listing->projects[0].row.project.id == id);
  CHECK(listing->projects[0].may ==
        std::vector{v1::PROJECT_ACTION_APPROVE, v1::PROJECT_ACTION_REJECT});
  // Nothing else of others, and nothing of a project that runs.
  CHECK(absl::IsPermissionDenied(site.projects.List(kFay, true).status()));
  CHECK(absl::IsNotFound(site.projects.Get(kFay, running).status()));
  CHECK(absl::IsNotFound(
      site.projects.ApplyAction(kFay, running, v1::PROJECT_ACTION_CLOSE)
          .status()));
  CHECK(absl::IsPermissionDenied(
      site.projects.ApplyAction(kFay, id, v1::PROJECT_ACTION_CLOSE).status()));
  CHECK(absl::IsPermissionDenied(
      site.projects.SetTerms(kFay, id, {}, "chem").status()));
  CHECK(site.projects.Get(kFay, id)->members.size() == 1);
  // Once it is approved it is its members' alone.
  const auto approved =
      site.projects.ApplyAction(kFay, id, v1::PROJECT_ACTION_APPROVE);
  REQUIRE_THAT(approved, IsOk());
  CHECK_FALSE(approved->has_value());
  CHECK(site.projects.Get(kAda, id)->row.project.state ==
        v1::PROJECT_STATE_ACTIVE);
  CHECK(absl::IsNotFound(site.projects.Get(kFay, id).status()));
  CHECK(site.projects.List(kFay, false)->waiting_for_me == 0);
  CHECK(site.NoticesOf(kAda) ==
        std::vector<std::string>{
            "An administrator has opened your project \"Chem\".",
            "A manager of the site has opened your project \"Bio\"."});
}

TEST_CASE("projects: refuses actions that have methods of their own",
          "[backend]") {
  Site site;
  const auto made = site.projects.Create(kAda, {.name = "Bio"});
  REQUIRE_THAT(made, IsOk());
  const ProjectId id = made->row.project.id;
  for (const ProjectAction act :
       {v1::PROJECT_ACTION_CHANGE, v1::PROJECT_ACTION_INVITE,
        v1::PROJECT_ACTION_SET_TERMS}) {
    CHECK_THAT(site.projects.ApplyAction(kCarol, id, act),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
  for (const MemberAction act :
       {MemberAction::kInvite, MemberAction::kRequest}) {
    CHECK_THAT(site.projects.ApplyMemberAction(kCarol, id, "ada", act),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_CASE("projects: a manager of the site does not decide about their own",
          "[backend]") {
  Site site;
  const auto made = site.projects.Create(kFay, {.name = "Bio"});
  REQUIRE_THAT(made, IsOk());
  const ProjectId id = made->row.project.id;
  REQUIRE(made->row.project.state == v1::PROJECT_STATE_REQUESTED);
  CHECK(site.projects.List(kFay, false)->waiting_for_me == 0);
  for (const ProjectAction act :
       {v1::PROJECT_ACTION_APPROVE, v1::PROJECT_ACTION_REJECT}) {
    CHECK(absl::IsPermissionDenied(
        site.projects.ApplyAction(kFay, id, act).status()));
  }
  CHECK(absl::IsNotFound(
      site.projects.ApplyAction(kBob, id, v1::PROJECT_ACTION_APPROVE)
          .status()));
  CHECK_THAT(site.projects.ApplyAction(kCarol, id, v1::PROJECT_ACTION_APPROVE),
             IsOk());
}

TEST_CASE("projects: limits the number of requested projects", "[backend]") {
  Site site;
  for (int i = 0; i < Projects::kMaxAsked; ++i) {
    REQUIRE_THAT(site.projects.Create(kAda, {.name = "Chem"}), IsOk());
  }
  CHECK(absl::IsResourceExhausted(
      site.projects.Create(kAda, {.name = "Chem"}).status()));
  CHECK_THAT(site.projects.Create(kBob, {.name = "Bio"}), IsOk());
}

TEST_CASE("projects: an invitation, its acceptance and its confirmation",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  CHECK(absl::IsNotFound(site.projects.Invite(kAda, id, "eve").status()));
  // Invalid names are not looked up; without an answer no member is added.
  site.asked.clear();
  for (const std::string& name :
       {std::string(), std::string("bob)(uid=*"), std::string(1000, 'a')}) {
    CHECK(absl::IsNotFound(site.projects.Invite(kAda, id, name).status()));
  }
  CHECK(site.asked.empty());
  site.away = true;
  const absl::Status unknown = site.projects.Invite(kAda, id, "bob").status();
  CHECK(absl::IsUnavailable(unknown));
  CHECK(unknown.message().find("ldap") == std::string::npos);
  site.away = false;
  REQUIRE_THAT(site.projects.Invite(kAda, id, "bob"), IsOk());
  CHECK(absl::IsFailedPrecondition(
      site.projects.Invite(kAda, id, "bob").status()));
  CHECK(site.projects.List(kBob, false)->waiting_for_me == 1);
  // An invited user sees the owner and themselves.
  CHECK(site.projects.Get(kBob, id)->members.size() == 2);
  for (const Person& other : {kAda, kCarol}) {
    CHECK(absl::IsPermissionDenied(
        site.projects.ApplyMemberAction(other, id, "bob", MemberAction::kAccept)
            .status()));
  }
  REQUIRE_THAT(
      site.projects.ApplyMemberAction(kBob, id, "bob", MemberAction::kAccept),
      IsOk());
  CHECK(site.BobsPlace(id) == v1::PROJECT_ROLE_WAITING);
  CHECK(absl::IsFailedPrecondition(
      site.projects.ForJob(id.value(), kBob.uid).status()));
  CHECK(absl::IsPermissionDenied(
      site.projects.ApplyMemberAction(kAda, id, "bob", MemberAction::kConfirm)
          .status()));
  CHECK(site.projects.List(kCarol, false)->waiting_for_me == 1);
  REQUIRE_THAT(site.projects.ApplyMemberAction(kCarol, id, "bob",
                                               MemberAction::kConfirm),
               IsOk());
  CHECK_THAT(site.projects.ForJob(id.value(), kBob.uid), IsOk());
  const std::vector<std::string> notices = {
      "You are invited to the project \"Chem\" by ada: accept or decline.",
      "You are a member of the project \"Chem\" now."};
  CHECK(site.NoticesOf(kBob) == notices);
  const ProjectMember bob = site.projects.Get(kBob, id)->members[1].member;
  CHECK(bob.approved_by == "ada");
  CHECK(bob.confirmed_by == "carol");
}

TEST_CASE("projects: the second step can be switched off", "[backend]") {
  Site site(/*require_admin_approval=*/false);
  const ProjectId id = site.Chem();
  REQUIRE_THAT(site.projects.Request(kBob, id), IsOk());
  CHECK(site.projects.List(kAda, false)->waiting_for_me == 1);
  REQUIRE_THAT(
      site.projects.ApplyMemberAction(kAda, id, "bob", MemberAction::kApprove),
      IsOk());
  CHECK(site.BobsPlace(id) == v1::PROJECT_ROLE_MEMBER);
  CHECK(site.projects.Create(kFay, {.name = "Bio"})->row.project.state ==
        v1::PROJECT_STATE_ACTIVE);
}

TEST_CASE("projects: holders of the id may request membership if allowed",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  REQUIRE_THAT(
      site.projects.Change(kAda, id, {.name = "Chem", .takes_requests = false}),
      IsOk());
  CHECK(absl::IsNotFound(site.projects.Request(kBob, id).status()));
  REQUIRE_THAT(site.projects.Change(kAda, id, {.name = "Chem"}), IsOk());
  const auto asked = site.projects.Request(kBob, id);
  REQUIRE_THAT(asked, IsOk());
  CHECK(asked->row.project_role == v1::PROJECT_ROLE_REQUESTED);
  CHECK(absl::IsPermissionDenied(
      site.projects.ApplyMemberAction(kBob, id, "bob", MemberAction::kApprove)
          .status()));
  // Rejected, the project is as if there were none.
  REQUIRE_THAT(
      site.projects.ApplyMemberAction(kAda, id, "bob", MemberAction::kReject),
      IsOk());
  CHECK(absl::IsNotFound(site.projects.Get(kBob, id).status()));
}

TEST_CASE("projects: members see members, managers also candidates",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  site.Join(id, kBob);
  REQUIRE_THAT(site.projects.Invite(kAda, id, "fay"), IsOk());
  CHECK(site.projects.Get(kAda, id)->members.size() == 3);
  CHECK(site.projects.Get(kBob, id)->members.size() == 2);
  CHECK(site.projects.Get(kFay, id)->members.size() == 2);
  CHECK(site.projects.Get(kSam, id)->members.size() == 3);
  // A page offers what the rules allow, and support nothing.
  const auto seen = site.projects.Get(kSam, id);
  REQUIRE_THAT(seen, IsOk());
  for (const MemberView& one : seen->members) CHECK(one.may.empty());
  CHECK(seen->may.empty());
}

TEST_CASE("projects: handed over, there is one owner, and never none",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  site.Join(id, kBob);
  CHECK(absl::IsFailedPrecondition(
      site.projects.ApplyMemberAction(kAda, id, "ada", MemberAction::kLeave)
          .status()));
  CHECK(absl::IsFailedPrecondition(
      site.projects
          .ApplyMemberAction(kAda, id, "bob", MemberAction::kTransferOwnership)
          .status()));
  REQUIRE_THAT(
      site.projects.ApplyMemberAction(kAda, id, "bob", MemberAction::kPromote),
      IsOk());
  CHECK(absl::IsPermissionDenied(
      site.projects
          .ApplyMemberAction(kBob, id, "bob", MemberAction::kTransferOwnership)
          .status()));
  REQUIRE_THAT(site.projects.ApplyMemberAction(
                   kAda, id, "bob", MemberAction::kTransferOwnership),
               IsOk());
  const auto view = site.projects.Get(kBob, id);
  CHECK(view->row.owner == "bob");
  CHECK(view->members[1].member.project_role == v1::PROJECT_ROLE_MANAGER);
  CHECK(view->members[1].member.username == "ada");
  // Who owned it may go now, and does not see it then.
  const auto left =
      site.projects.ApplyMemberAction(kAda, id, "ada", MemberAction::kLeave);
  REQUIRE_THAT(left, IsOk());
  CHECK_FALSE(left->has_value());
  CHECK(absl::IsNotFound(site.projects.Get(kAda, id).status()));
}

TEST_CASE("projects: the account is an administrator's to name", "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  CHECK(absl::IsPermissionDenied(
      site.projects.SetTerms(kAda, id, {}, "chem").status()));
  CHECK(absl::IsInvalidArgument(
      site.projects.SetTerms(kCarol, id, {}, "chem;id").status()));
  REQUIRE_THAT(site.projects.SetTerms(kCarol, id, {}, "chem"), IsOk());
  CHECK(site.projects.ForJob(id.value(), kAda.uid)->account == "chem");
  // The owner's changes do not touch it.
  REQUIRE_THAT(site.projects.Change(kAda, id, {.name = "Chemistry"}), IsOk());
  CHECK(site.projects.ForJob(id.value(), kAda.uid)->account == "chem");
}

TEST_CASE("projects: notifies of repeated invitations once a day",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  for (int i = 0; i < 5; ++i) {
    REQUIRE_THAT(site.projects.Invite(kAda, id, "bob"), IsOk());
    REQUIRE_THAT(
        site.projects.ApplyMemberAction(kAda, id, "bob", MemberAction::kRevoke),
        IsOk());
  }
  CHECK(site.NoticesOf(kBob).size() == 1);
  site.clock.Set(site.clock.Now() + absl::Hours(24));
  REQUIRE_THAT(site.projects.Invite(kAda, id, "bob"), IsOk());
  CHECK(site.NoticesOf(kBob).size() == 2);
}

TEST_CASE("projects: an end is announced three times, and then acted on once",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  site.Join(id, kBob);
  const absl::Time end = site.clock.Now() + absl::Hours(24 * 40);
  REQUIRE_THAT(site.projects.SetTerms(kCarol, id, end, ""), IsOk());
  const size_t before = site.NoticesOf(kAda).size();
  const auto notices = [&] {
    site.projects.Sweep();
    site.projects.Sweep();
    return site.NoticesOf(kAda).size() - before;
  };
  CHECK(notices() == 0);
  site.clock.Set(end - absl::Hours(24 * 30));
  CHECK(notices() == 1);
  site.clock.Set(end - absl::Hours(24 * 7));
  CHECK(notices() == 2);
  site.clock.Set(end - absl::Hours(24));
  CHECK(notices() == 3);
  // Members hear of it the last time: their jobs will not begin.
  const size_t bobs = site.NoticesOf(kBob).size();
  CHECK(bobs == 3);  // invited, a member, and this
  CHECK_THAT(site.projects.ForJob(id.value(), kBob.uid), IsOk());

  // From that moment on, before the periodic cleanup.
  site.clock.Set(end);
  CHECK(absl::IsFailedPrecondition(
      site.projects.ForJob(id.value(), kBob.uid).status()));
  // A concurrent change must not hide a missing notification.
  REQUIRE_THAT(site.projects.Change(kAda, id, {.name = "Chem"}), IsOk());
  CHECK(notices() == 4);
  CHECK(site.NoticesOf(kBob).size() == bobs + 1);
  CHECK(site.projects.Get(kBob, id)->row.project.state ==
        v1::PROJECT_STATE_EXPIRED);
  CHECK(absl::IsFailedPrecondition(
      site.projects.Invite(kAda, id, "fay").status()));
  // Going is always possible.
  CHECK_THAT(
      site.projects.ApplyMemberAction(kBob, id, "bob", MemberAction::kLeave),
      IsOk());

  REQUIRE_THAT(site.projects.SetTerms(kCarol, id, end + absl::Hours(1), ""),
               IsOk());
  CHECK_THAT(site.projects.ForJob(id.value(), kAda.uid), IsOk());
  CHECK(notices() == 5);  // the new end is near
}

TEST_CASE("projects: an end that is near is announced as it is set",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  site.Join(id, kBob);
  const size_t adas = site.NoticesOf(kAda).size();
  const size_t bobs = site.NoticesOf(kBob).size();
  const absl::Time end = site.clock.Now() + absl::Seconds(5);
  REQUIRE_THAT(site.projects.SetTerms(kCarol, id, end, ""), IsOk());
  CHECK(site.NoticesOf(kAda).size() == adas + 1);
  CHECK(site.NoticesOf(kBob).size() == bobs + 1);
  site.projects.Sweep();
  CHECK(site.NoticesOf(kAda).size() == adas + 1);
  // Setting the same again notifies no user.
  REQUIRE_THAT(site.projects.SetTerms(kCarol, id, end, "chem"), IsOk());
  CHECK(site.NoticesOf(kAda).size() == adas + 1);
  site.clock.Set(end);
  site.projects.Sweep();
  CHECK(site.NoticesOf(kAda).size() == adas + 2);
}

TEST_CASE("projects: a closed project starts no job and is deleted later",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  REQUIRE_THAT(site.projects.ApplyAction(kAda, id, v1::PROJECT_ACTION_CLOSE),
               IsOk());
  CHECK(absl::IsFailedPrecondition(
      site.projects.ForJob(id.value(), kAda.uid).status()));
  CHECK(absl::IsPermissionDenied(
      site.projects.ApplyAction(kAda, id, v1::PROJECT_ACTION_REOPEN).status()));
  REQUIRE_THAT(site.projects.ApplyAction(kCarol, id, v1::PROJECT_ACTION_REOPEN),
               IsOk());
  CHECK_THAT(site.projects.ForJob(id.value(), kAda.uid), IsOk());
  REQUIRE_THAT(site.projects.ApplyAction(kAda, id, v1::PROJECT_ACTION_CLOSE),
               IsOk());
  site.clock.Advance(Projects::kClosedKept - absl::Seconds(1));
  site.projects.Sweep();
  CHECK_THAT(site.projects.Get(kAda, id), IsOk());
  site.clock.Advance(absl::Seconds(1));
  site.projects.Sweep();
  CHECK(absl::IsNotFound(site.projects.Get(kAda, id).status()));
}

TEST_CASE("projects: a reassigned user name has no membership", "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  site.Join(id, kBob);
  const Person other = PersonNamed("bob", 20099);
  CHECK(absl::IsNotFound(site.projects.Get(other, id).status()));
  CHECK(absl::IsNotFound(site.projects.ForJob(id.value(), other.uid).status()));
  // Nor does it come in beside the old account, so that a name is one person.
  CHECK(absl::IsFailedPrecondition(site.projects.Request(other, id).status()));
}

TEST_CASE("projects: requests are bounded, for one and for a project",
          "[backend]") {
  Site site;
  const ProjectId id = site.Chem();
  for (int i = 0; i < Projects::kMaxRequests; ++i) {
    const Person person =
        PersonNamed(absl::StrCat("u", i), static_cast<uint32_t>(30000 + i));
    REQUIRE_THAT(site.projects.Request(person, id), IsOk());
  }
  CHECK(absl::IsResourceExhausted(site.projects.Request(kBob, id).status()));
  // An invitation by a manager still succeeds; nothing was revealed.
  CHECK_THAT(site.projects.Invite(kAda, id, "bob"), IsOk());
  CHECK(site.NoticesOf(kAda).size() == 1);
}

}  // namespace
}  // namespace carme::backend
