// Reservations with a real database, and a fake Slurm that can fail.
#include "backend/reservations/reservations.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const Person kAda{.username = "ada", .display_name = "", .uid = Uid(20001)};
const Person kBob{.username = "bob", .display_name = "", .uid = Uid(20002)};
const Person kCarol{.username = "carol",
                    .display_name = "",
                    .uid = Uid(20003),
                    .role = Role::kAdmin};
const Person kEve{.username = "eve", .display_name = "", .uid = Uid(20004)};

// The watcher and the impersonator: what is reserved is seen after Poll().
class FakeReserver : public Scheduler, public Reserver {
 public:
  explicit FakeReserver(const Clock* clock) : clock_(*clock) {
    seen_.reachable = true;
    SlurmNode node;
    node.up = node.has_feature = true;
    node.partitions = {"main"};
    for (const char* name : {"n1", "n2"}) {
      node.name = name;
      seen_.nodes.push_back(node);
    }
    seen_.partitions = {{"main", true, true, std::nullopt, {"n1", "n2"}}};
    Poll();
  }
  SlurmSnapshotPtr Snapshot() const override { return snapshot_; }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)>) override {}
  void RefreshSoon() override {}
  void Poll() {
    seen_.reservations_asked_at = clock_.Now();
    seen_.reservations_hidden = hides_;
    seen_.reservations.clear();
    for (const auto& [name, reservation] : has_) {
      if (!hides_ || is_operator_) seen_.reservations.push_back(reservation);
    }
    LookAtJobs();
  }
  void LookAtJobs() {
    seen_.asked_at = clock_.Now();
    snapshot_ = std::make_shared<const SlurmSnapshot>(seen_);
  }

  absl::Status Reserve(const PosixUser& owner,
                       const ReservationRequest& reservation,
                       const std::string&) override {
    ++asked_;
    CHECK(reservation.users.at(0) == owner.name);
    if (!answer_.ok() && !does_it_) return answer_;
    const auto before = has_.find(reservation.name);
    if (before != has_.end()) {
      before->second.users = reservation.users;
      return answer_;
    }
    has_[reservation.name] = {
        .name = reservation.name,
        .starts_at = reservation.starts_at,
        .ends_at = reservation.starts_at + reservation.duration,
        .nodes = {"n1"},
        .partition = reservation.partition,
        .users = reservation.users,
        .accounts = {}};
    return answer_;
  }
  absl::Status SetUsers(const PosixUser&, const ReservationRequest& reservation,
                        const std::string&) override {
    ++asked_;
    if (on_set_users_) std::exchange(on_set_users_, nullptr)(reservation.name);
    const auto before = has_.find(reservation.name);
    if (before == has_.end()) return absl::NotFoundError("none");
    before->second.users = reservation.users;
    return answer_;
  }
  absl::Status ReserveForMaintenance(const PosixUser&,
                                     const MaintenanceReservation&,
                                     const std::string&) override {
    return answer_;
  }
  absl::Status Unreserve(const PosixUser&, const std::string& name,
                         const std::string&) override {
    ++asked_;
    if (answer_.ok() || does_it_) has_.erase(name);
    return answer_;
  }

  std::map<std::string, SlurmReservation> has_;
  absl::Status answer_;       // of the next acts
  bool does_it_ = false;      // whatever it answers
  bool hides_ = false;        // PrivateData=reservations
  bool is_operator_ = false;  // SlurmUser: sees every reservation
  std::function<void(const std::string&)> on_set_users_;  // once
  int asked_ = 0;

 private:
  const Clock& clock_;
  SlurmSnapshot seen_;
  SlurmSnapshotPtr snapshot_;
};

struct Site {
  Site() {
    ReservationsConfig config;
    config.partitions = {"main"};
    config.max_per_user = 2;
    config.max_per_project = 3;
    reservations = std::make_unique<Reservations>(
        Reservations::Parts{database.get(), &clock, &slurm, &slurm}, config);
    const auto made = projects.Create(kAda, {.name = "Chem"});
    REQUIRE_THAT(made, IsOk());
    project = made->row.project.id;
    REQUIRE_THAT(
        projects.ApplyAction(kCarol, project, v1::PROJECT_ACTION_APPROVE),
        IsOk());
    REQUIRE_THAT(projects.Invite(kAda, project, "bob"), IsOk());
    REQUIRE_THAT(
        projects.ApplyMemberAction(kBob, project, "bob", MemberAction::kAccept),
        IsOk());
  }
  ReservationSpec Class() const {
    return {.title = "Class",
            .project = project.value(),
            .nodes = 1,
            .starts_at = clock.Now() + absl::Hours(24),
            .duration = absl::Hours(2)};
  }
  absl::StatusOr<ReservationView> Create(const Person& person,
                                         const std::string& key = "") {
    return reservations->Create(person, Class(), key, "request");
  }
  // Slurm was looked at `after` this long; Reconcile() acted on it.
  void Reconcile(absl::Duration after = absl::Minutes(6)) {
    clock.Advance(after);
    slurm.Poll();
    reservations->Reconcile();
  }
  std::vector<ReservationView> Seen(const Person& person) {
    return reservations->List(person).value().reservations;
  }
  std::string NoticesOf(const Person& person) {
    std::string texts;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      auto rows =
          db.Prepare("SELECT text FROM events WHERE uid=?1 ORDER BY id");
      rows->Bind(1, int64_t{person.uid.value()});
      while (rows->Step().value()) texts += rows->Text(0) + "\n";
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
  FakeReserver slurm{&clock};
  FakeDirectory directory{[](const std::string&) { return kBob; }};
  Projects projects{{.database = database.get(),
                     .clock = &clock,
                     .audit = audit.get(),
                     .directory = &directory},
                    {.require_admin_approval = false}};
  ProjectId project;
  std::unique_ptr<Reservations> reservations;
};

TEST_CASE("reservations: refuses users that do not manage the project",
          "[reservations]") {
  Site site;
  CHECK(absl::IsPermissionDenied(site.Create(kBob).status()));
  CHECK(absl::IsNotFound(site.Create(kEve).status()));
  // An administrator is no manager of it either.
  CHECK(absl::IsNotFound(site.Create(kCarol).status()));
  ReservationSpec alone = site.Class();
  alone.project.clear();
  CHECK(absl::IsPermissionDenied(
      site.reservations->Create(kAda, alone, "", "request").status()));
  CHECK(site.slurm.asked_ == 0);
  CHECK(site.Seen(kAda).empty());
}

TEST_CASE(
    "reservations: a reservation is for the project's members, its owner "
    "first",
    "[reservations]") {
  Site site;
  const auto booked = site.Create(kAda, "key");
  REQUIRE_THAT(booked, IsOk());
  CHECK(booked->reservation->state == v1::RESERVATION_STATE_CONFIRMED);
  CHECK(site.slurm.has_.at(booked->name).users ==
        std::vector<std::string>{"ada", "bob"});
  // The same key is the same reservation.
  CHECK(site.Create(kAda, "key")->name == booked->name);
  CHECK(site.slurm.asked_ == 1);
  // For another reservation it is refused.
  ReservationSpec other = site.Class();
  other.duration += absl::Hours(1);
  CHECK(absl::IsAlreadyExists(
      site.reservations->Create(kAda, other, "key", "request").status()));
  other = site.Class();
  other.starts_at += absl::Hours(24);
  CHECK(absl::IsAlreadyExists(
      site.reservations->Create(kAda, other, "key", "request").status()));
  CHECK(site.slurm.asked_ == 1);
  REQUIRE_THAT(site.Create(kAda, "other"), IsOk());
  CHECK(absl::IsResourceExhausted(site.Create(kAda, "third").status()));

  site.slurm.Poll();
  const ReservationView bobs = site.Seen(kBob).at(0);
  CHECK(bobs.usable);
  CHECK(bobs.reservation->spec.title == "Class");
  CHECK_FALSE(bobs.may_cancel);
  CHECK(bobs.users.empty());
  // A stranger learns that nodes are taken, and nothing else.
  const ReservationView eves = site.Seen(kEve).at(0);
  CHECK_FALSE(eves.usable);
  CHECK_FALSE(eves.reservation.has_value());
  CHECK(eves.nodes == 1);
  CHECK(site.Seen(kAda).at(0).users == std::vector<std::string>{"ada", "bob"});
}

TEST_CASE("reservations: limits the reservations of a project",
          "[reservations]") {
  Site site;
  REQUIRE_THAT(site.projects.ApplyMemberAction(kAda, site.project, "bob",
                                               MemberAction::kPromote),
               IsOk());
  REQUIRE_THAT(site.Create(kAda), IsOk());
  REQUIRE_THAT(site.Create(kAda), IsOk());
  const auto last = site.Create(kBob);
  REQUIRE_THAT(last, IsOk());
  const absl::Status full = site.Create(kBob).status();
  CHECK(absl::IsResourceExhausted(full));
  CHECK_THAT(std::string(full.message()), Catch::Contains("the project has 3"));
  REQUIRE_THAT(
      site.reservations->Cancel(kAda, last->reservation->id, "request"),
      IsOk());
  CHECK_THAT(site.Create(kBob), IsOk());
}

TEST_CASE("reservations: a refusal leaves no record", "[reservations]") {
  Site site;
  site.slurm.answer_ = absl::FailedPreconditionError("slurm: nodes are busy");
  const auto refused = site.Create(kAda, "key");
  CHECK(refused.status() == site.slurm.answer_);
  CHECK(site.Seen(kAda).empty());
  site.slurm.answer_ = absl::OkStatus();
  CHECK_THAT(site.Create(kAda, "key"), IsOk());
}

TEST_CASE("reservations: a lost response is reconciled with Slurm",
          "[reservations]") {
  Site site;
  site.slurm.answer_ = absl::DeadlineExceededError("no answer");
  site.slurm.does_it_ = GENERATE(true, false);
  const auto booked = site.Create(kAda);
  REQUIRE_THAT(booked, IsOk());
  CHECK(booked->reservation->state == v1::RESERVATION_STATE_CREATING);
  CHECK(absl::IsFailedPrecondition(
      site.reservations->Cancel(kAda, booked->reservation->id, "r").status()));
  site.slurm.answer_ = absl::OkStatus();
  site.Reconcile();
  if (site.slurm.does_it_) {
    CHECK(site.Seen(kAda).at(0).reservation->state ==
          v1::RESERVATION_STATE_CONFIRMED);
    return;
  }
  CHECK(site.Seen(kAda).empty());
  CHECK_THAT(site.NoticesOf(kAda), Catch::Contains("could not be created"));
  // Slurm makes it after all: it is ended.
  site.slurm.has_[booked->name] = {.name = booked->name,
                                   .starts_at = booked->starts_at,
                                   .ends_at = booked->ends_at,
                                   .nodes = {"n1"},
                                   .partition = "main",
                                   .users = {"ada"},
                                   .accounts = {}};
  site.Reconcile();
  CHECK(site.slurm.has_.empty());
}

TEST_CASE("reservations: its owner, a manager and an administrator cancel",
          "[reservations]") {
  Site site;
  const std::string id = site.Create(kAda)->reservation->id;
  site.slurm.Poll();
  const auto cancel = [&](const Person& person) {
    return site.reservations->Cancel(person, id, "request").status();
  };
  CHECK(absl::IsNotFound(cancel(kEve)));
  CHECK(absl::IsPermissionDenied(cancel(kBob)));
  SECTION("jobs run in it") {
    site.slurm.answer_ = absl::FailedPreconditionError("slurm: in use");
    CHECK(cancel(kAda) == site.slurm.answer_);
    CHECK(site.Seen(kAda).at(0).reservation->state ==
          v1::RESERVATION_STATE_CONFIRMED);
    site.slurm.answer_ = absl::OkStatus();
  }
  SECTION("the answer is lost") {
    site.slurm.answer_ = absl::DeadlineExceededError("no answer");
    CHECK_THAT(cancel(kAda), IsOk());
    CHECK(site.Seen(kAda).at(0).reservation->state ==
          v1::RESERVATION_STATE_CANCELLING);
    site.slurm.answer_ = absl::OkStatus();
    site.Reconcile();
    CHECK(site.slurm.has_.empty());
    CHECK(absl::IsNotFound(cancel(kAda)));
    return;
  }
  CHECK_THAT(cancel(kCarol), IsOk());
  CHECK(site.slurm.has_.empty());
  CHECK(site.Seen(kAda).empty());
  CHECK(absl::IsNotFound(cancel(kAda)));
}

TEST_CASE("reservations: follow the members of the project", "[reservations]") {
  Site site;
  const std::string name = site.Create(kAda)->name;
  REQUIRE_THAT(site.projects.ApplyMemberAction(kAda, site.project, "bob",
                                               MemberAction::kRemove),
               IsOk());
  site.Reconcile();
  CHECK(site.slurm.has_.at(name).users == std::vector<std::string>{"ada"});
  const int asked = site.slurm.asked_;
  site.Reconcile();
  CHECK(site.slurm.asked_ == asked);
}

TEST_CASE(
    "reservations: removal by an administrator is reported, a normal end is "
    "not",
    "[reservations]") {
  Site site;
  const std::string name = site.Create(kAda)->name;
  SECTION("removed") {
    site.slurm.has_.clear();
    site.Reconcile();
    CHECK_THAT(site.NoticesOf(kAda), Catch::Contains("was removed in Slurm"));
  }
  SECTION("over") {
    site.clock.Advance(absl::Hours(27));
    site.slurm.has_.clear();
    site.Reconcile();
    CHECK_THAT(site.NoticesOf(kAda), !Catch::Contains("reservation"));
  }
  CHECK(site.Seen(kAda).empty());
  // It does not count any more.
  CHECK_THAT(site.Create(kAda), IsOk());
  CHECK_THAT(site.Create(kAda), IsOk());
}

TEST_CASE("reservations: a deleted one is not recreated by an old poll",
          "[reservations]") {
  Site site;
  site.Create(kAda).value();
  site.Reconcile();
  // An administrator cancels it, and a member leaves before the next attempt.
  site.slurm.has_.clear();
  REQUIRE_THAT(site.projects.ApplyMemberAction(kAda, site.project, "bob",
                                               MemberAction::kRemove),
               IsOk());
  site.clock.Advance(absl::Minutes(6));
  const int asked = site.slurm.asked_;
  site.reservations->Reconcile();
  CHECK(site.slurm.asked_ == asked + 1);
  CHECK(site.slurm.has_.empty());
}

TEST_CASE("reservations: ignores a reservation cancelled meanwhile",
          "[reservations]") {
  Site site;
  std::vector<std::string> ids;
  for (const char* key : {"a", "b"}) {
    ids.push_back(site.Create(kAda, key)->reservation->id);
  }
  REQUIRE_THAT(site.projects.ApplyMemberAction(kAda, site.project, "bob",
                                               MemberAction::kRemove),
               IsOk());
  // While the one is changed, the other is cancelled.
  std::string cancelled;
  site.slurm.on_set_users_ = [&](const std::string& changed) {
    cancelled = changed == "carme-" + ids[0] ? ids[1] : ids[0];
    CHECK_THAT(site.reservations->Cancel(kAda, cancelled, "request"), IsOk());
    site.slurm.on_set_users_ = [](const std::string& name) {
      FAIL_CHECK(name << " was changed, too");
    };
  };
  site.Reconcile();
  CHECK_FALSE(cancelled.empty());
  CHECK(site.slurm.has_.size() == 1);
  CHECK(site.Seen(kAda).size() == 1);
}

TEST_CASE("reservations: the nodes of an ended project are released",
          "[reservations]") {
  Site site;
  const std::string name = site.Create(kAda)->name;
  site.Reconcile();
  REQUIRE(site.slurm.has_.contains(name));
  REQUIRE_THAT(
      site.projects.ApplyAction(kAda, site.project, v1::PROJECT_ACTION_CLOSE),
      IsOk());
  site.slurm.answer_ = absl::FailedPreconditionError("slurm: in use");
  for (int i = 0; i < 6; ++i) site.Reconcile();
  REQUIRE(site.slurm.has_.contains(name));
  site.slurm.answer_ = absl::OkStatus();
  for (int i = 0; i < 3; ++i) site.Reconcile();
  CHECK(site.slurm.has_.empty());
  CHECK(site.Seen(kAda).empty());
  const std::string notices = site.NoticesOf(kAda);
  const std::string words = "is cancelled because its project has ended";
  CHECK_THAT(notices, Catch::Contains(words));
  CHECK(notices.find(words) == notices.rfind(words));  // once
}

TEST_CASE("reservations: a poll of jobs does not count as one of reservations",
          "[reservations]") {
  Site site;
  site.Create(kAda).value();
  site.clock.Advance(absl::Minutes(6));
  site.slurm.LookAtJobs();
  site.reservations->Reconcile();
  CHECK(site.Seen(kAda).at(0).reservation->state ==
        v1::RESERVATION_STATE_CONFIRMED);
  CHECK_THAT(site.NoticesOf(kAda), !Catch::Contains("removed"));
}

TEST_CASE("reservations: a hidden one is not considered deleted",
          "[reservations]") {
  Site site;
  site.slurm.hides_ = true;
  const std::string name = site.Create(kAda)->name;
  site.Reconcile();
  CHECK(site.Seen(kAda).at(0).reservation->state ==
        v1::RESERVATION_STATE_CONFIRMED);
  // Who left is out all the same.
  REQUIRE_THAT(site.projects.ApplyMemberAction(kAda, site.project, "bob",
                                               MemberAction::kRemove),
               IsOk());
  site.Reconcile();
  CHECK(site.slurm.has_.at(name).users == std::vector<std::string>{"ada"});
  const int asked = site.slurm.asked_;
  site.Reconcile(absl::Minutes(1));
  CHECK(site.slurm.asked_ == asked);
  SECTION("it is removed") {
    site.slurm.has_.clear();
    site.Reconcile();
    CHECK(site.Seen(kAda).empty());
    CHECK_THAT(site.NoticesOf(kAda), Catch::Contains("was removed in Slurm"));
  }
  SECTION("it is over") {
    site.Reconcile(absl::Hours(27));
    CHECK(site.Seen(kAda).empty());
    CHECK_THAT(site.NoticesOf(kAda), !Catch::Contains("reservation"));
  }
  SECTION("it is cancelled, and the answer is lost") {
    site.slurm.answer_ = absl::DeadlineExceededError("no answer");
    const std::string id = name.substr(std::string("carme-").size());
    CHECK_THAT(site.reservations->Cancel(kAda, id, "request"), IsOk());
    CHECK(site.Seen(kAda).at(0).reservation->state ==
          v1::RESERVATION_STATE_CANCELLING);
    site.slurm.answer_ = absl::OkStatus();
    site.Reconcile();
    CHECK(site.slurm.has_.empty());
    CHECK(site.Seen(kAda).empty());
  }
}

TEST_CASE("reservations: hides what Slurm hides from users", "[reservations]") {
  Site site;
  site.slurm.hides_ = site.slurm.is_operator_ = true;
  site.Create(kAda).value();
  const absl::Time at = site.clock.Now() + absl::Hours(24);
  site.slurm.has_["service"] = {.name = "service",
                                .starts_at = at,
                                .ends_at = at + absl::Hours(1),
                                .nodes = {"n2"},
                                .partition = "",
                                .users = {"root"},
                                .accounts = {}};
  site.slurm.Poll();
  CHECK(site.Seen(kEve).empty());
  CHECK(site.Seen(kBob).size() == 1);
  CHECK(site.Seen(kCarol).size() == 2);
  const auto preview = site.reservations->Preview(kAda, site.Class());
  REQUIRE_THAT(preview, IsOk());
  CHECK(preview->free_nodes == 0);
  CHECK(preview->conflicts.empty());
  site.slurm.hides_ = false;
  site.slurm.Poll();
  CHECK(site.Seen(kEve).size() == 2);
  CHECK(site.reservations->Preview(kAda, site.Class())->conflicts.size() == 2);
}

TEST_CASE(
    "reservations: a lost response is reconciled also with hidden reservations",
    "[reservations]") {
  Site site;
  site.slurm.hides_ = true;
  site.slurm.answer_ = absl::DeadlineExceededError("no answer");
  site.slurm.does_it_ = GENERATE(true, false);
  REQUIRE_THAT(site.Create(kAda), IsOk());
  site.slurm.answer_ = absl::OkStatus();
  site.Reconcile();
  if (site.slurm.does_it_) {
    CHECK(site.Seen(kAda).at(0).reservation->state ==
          v1::RESERVATION_STATE_CONFIRMED);
  } else {
    CHECK(site.Seen(kAda).empty());
    CHECK_THAT(site.NoticesOf(kAda), Catch::Contains("could not be created"));
  }
}

TEST_CASE("reservations: a reassigned uid does not own the reservation",
          "[reservations]") {
  Site site;
  const std::string id = site.Create(kAda)->reservation->id;
  const Person zoe{.username = "zoe", .display_name = "", .uid = kAda.uid};
  // The project's managers are found by their uid: another's reservation there.
  const ReservationView view = site.Seen(zoe).at(0);
  CHECK_FALSE(view.mine);
}

TEST_CASE("reservations: changes no state while Slurm is unavailable",
          "[reservations]") {
  Site site;
  const std::string name = site.Create(kAda)->name;
  // Not looked at since: it is not known to be gone.
  site.clock.Advance(absl::Hours(1));
  site.reservations->Reconcile();
  CHECK(site.Seen(kAda).at(0).reservation->state ==
        v1::RESERVATION_STATE_CONFIRMED);
}

}  // namespace
}  // namespace carme::backend
