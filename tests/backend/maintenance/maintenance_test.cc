// Maintenance with a real database, and a reserver that can fail.
#include "backend/maintenance/maintenance.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "backend/audit/audit_log.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const PosixUser kCarol{"carol", Uid(20003)};

// Has the reservations of maintenance; fails with `answer_`.
class FakeReserver : public Reserver {
 public:
  absl::Status Reserve(const PosixUser&, const ReservationRequest&,
                       const std::string&) override {
    return absl::UnimplementedError("not for maintenance");
  }
  absl::Status SetUsers(const PosixUser&, const ReservationRequest&,
                        const std::string&) override {
    return absl::UnimplementedError("not for maintenance");
  }
  absl::Status ReserveForMaintenance(const PosixUser& owner,
                                     const MaintenanceReservation& reservation,
                                     const std::string&) override {
    CHECK(owner.name == "carol");
    if (answer_.ok() || does_it_) names_.insert(reservation.name);
    last_ = reservation;
    return answer_;
  }
  absl::Status Unreserve(const PosixUser& owner, const std::string& name,
                         const std::string&) override {
    CHECK(owner.name == "carol");
    if (answer_.ok()) names_.erase(name);
    return answer_;
  }

  std::set<std::string> names_;
  MaintenanceReservation last_;
  absl::Status answer_;
  bool does_it_ = false;  // whatever it answers
};

struct MaintainedSite {
  MaintainedSite() { Restart(); }
  void Restart() {
    maintenance = nullptr;
    maintenance =
        Maintenance::Open({database.get(), &clock, &reserver, audit.get()})
            .value();
  }
  MaintenanceRequest TwoHours() const {
    return {.message = "New storage", .ends_at = clock.Now() + absl::Hours(2)};
  }
  MaintenanceRequest Reserving() const {
    MaintenanceRequest request = TwoHours();
    request.reserve = true;
    return request;
  }
  absl::StatusOr<MaintenanceWindow> Start(const MaintenanceRequest& request) {
    return maintenance->Start(kCarol, request, "request");
  }
  bool Refuses(Role role = Role::kUser) const {
    return maintenance->CheckSubmission(role).has_value();
  }

  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit =
      AuditLog::Open(database.get(), &clock).value();
  FakeReserver reserver;
  std::unique_ptr<Maintenance> maintenance;
};

TEST_CASE("maintenance: does not start if Slurm refuses the reservation",
          "[backend]") {
  MaintainedSite site;
  site.reserver.answer_ = absl::FailedPreconditionError("nodes are busy");
  CHECK_THAT(site.Start(site.Reserving()),
             StatusIs(absl::StatusCode::kFailedPrecondition, "nodes are busy"));
  CHECK_FALSE(site.maintenance->Current());
  CHECK_FALSE(site.Refuses());
  CHECK(site.reserver.names_.empty());
}

TEST_CASE("maintenance: a refused change leaves the current one", "[backend]") {
  MaintainedSite site;
  const auto before = site.Start(site.TwoHours());
  REQUIRE_THAT(before, IsOk());
  site.reserver.answer_ = absl::PermissionDeniedError("not in the group");
  CHECK_FALSE(site.Start(site.Reserving()).ok());
  CHECK_FALSE(site.Start({}).ok());
  CHECK(site.maintenance->Current() == *before);
  site.Restart();
  CHECK(site.maintenance->Current() == *before);
}

TEST_CASE("maintenance: deletes a reservation whose response was lost",
          "[backend]") {
  MaintainedSite site;
  site.reserver.answer_ = absl::DeadlineExceededError("no response");
  site.reserver.does_it_ = true;
  CHECK_THAT(site.Start(site.Reserving()),
             StatusIs(absl::StatusCode::kUnavailable, "not started"));
  CHECK_FALSE(site.maintenance->Current());
  REQUIRE(site.reserver.names_.size() == 1);
  const std::string late = *site.reserver.names_.begin();
  site.reserver.answer_ = absl::OkStatus();
  site.Restart();
  site.maintenance->Reconcile();
  CHECK(site.reserver.names_.empty());
  // Slurm may create it later than it is deleted.
  site.reserver.names_.insert(late);
  site.clock.Advance(absl::Minutes(1));
  site.maintenance->Reconcile();
  CHECK(site.reserver.names_.empty());
}

TEST_CASE("maintenance: refuses jobs of users, not of administrators",
          "[backend]") {
  MaintainedSite site;
  CHECK_FALSE(site.Refuses());
  REQUIRE_THAT(site.Start(site.TwoHours()), IsOk());
  CHECK(site.Refuses());
  CHECK(site.Refuses(Role::kManager));
  CHECK(site.Refuses(Role::kSupport));
  CHECK_FALSE(site.Refuses(Role::kAdmin));
}

TEST_CASE("maintenance: an announced one refuses jobs from its start",
          "[backend]") {
  MaintainedSite site;
  MaintenanceRequest request = site.TwoHours();
  request.starts_at = site.clock.Now() + absl::Hours(1);
  REQUIRE_THAT(site.Start(request), IsOk());
  CHECK(site.maintenance->Current());
  CHECK_FALSE(site.Refuses());
  site.clock.Advance(absl::Hours(1));
  CHECK(site.Refuses());
}

TEST_CASE("maintenance: lasts until it is ended, also over a restart",
          "[backend]") {
  MaintainedSite site;
  REQUIRE_THAT(site.Start(site.TwoHours()), IsOk());
  site.clock.Advance(absl::Hours(3));
  site.maintenance->Reconcile();
  site.Restart();
  CHECK(site.Refuses());
  for (int times = 0; times < 2; ++times) {
    const auto remaining = site.maintenance->End("request");
    REQUIRE_THAT(remaining, IsOk());
    CHECK(remaining->empty());
    CHECK_FALSE(site.Refuses());
  }
  site.Restart();
  CHECK_FALSE(site.maintenance->Current());
}

TEST_CASE("maintenance: ends by itself if requested, and records that",
          "[backend]") {
  MaintainedSite site;
  MaintenanceRequest request = site.TwoHours();
  request.auto_end = true;
  REQUIRE_THAT(site.Start(request), IsOk());
  site.clock.Advance(absl::Hours(2));
  CHECK_FALSE(site.Refuses());
  CHECK_FALSE(site.maintenance->Current());
  site.maintenance->Reconcile();
  site.Restart();
  CHECK_FALSE(site.maintenance->Current());
  std::string act;
  REQUIRE_THAT(site.audit->RecordNow({.act = "probe", .result = "ok"}), IsOk());
  REQUIRE_THAT(site.database->Query([&](Database& db) -> absl::Status {
    auto row =
        db.Prepare("SELECT actor FROM audit WHERE act='maintenance-end'");
    if (!row.ok()) return row.status();
    if (row->Step().value()) act = row->Text(0);
    return absl::OkStatus();
  }),
               IsOk());
  CHECK(act == "carme-backend");
}

TEST_CASE("maintenance: its reservation ends with it", "[backend]") {
  MaintainedSite site;
  MaintenanceRequest request = site.Reserving();
  request.partition = "main";
  const auto window = site.Start(request);
  REQUIRE_THAT(window, IsOk());
  CHECK(site.reserver.names_.contains(window->reservation));
  CHECK(site.reserver.last_.partition == "main");
  CHECK(site.reserver.last_.duration == absl::InfiniteDuration());
  // Another message needs no other reservation.
  request.message = "New storage and network";
  const auto changed = site.Start(request);
  REQUIRE_THAT(changed, IsOk());
  CHECK(changed->reservation == window->reservation);
  // Other nodes need another one.
  request.partition.clear();
  const auto wider = site.Start(request);
  REQUIRE_THAT(wider, IsOk());
  CHECK(wider->reservation != window->reservation);
  CHECK(site.reserver.names_ == std::set<std::string>{wider->reservation});
  REQUIRE_THAT(site.maintenance->End("request"), IsOk());
  CHECK(site.reserver.names_.empty());
}

TEST_CASE("maintenance: ends while Slurm keeps the reservation", "[backend]") {
  MaintainedSite site;
  const auto window = site.Start(site.Reserving());
  REQUIRE_THAT(window, IsOk());
  site.reserver.answer_ = absl::FailedPreconditionError("jobs run in it");
  const auto remaining = site.maintenance->End("request");
  REQUIRE_THAT(remaining, IsOk());
  CHECK(*remaining == window->reservation);
  CHECK_FALSE(site.Refuses());
  site.reserver.answer_ = absl::OkStatus();
  site.maintenance->Reconcile();  // too soon
  CHECK(site.reserver.names_.size() == 1);
  site.clock.Advance(absl::Seconds(30));
  site.maintenance->Reconcile();
  CHECK(site.reserver.names_.empty());
}

}  // namespace
}  // namespace carme::backend
