#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/reservations/reservation_table.h"
#include "backend/reservations/reservations.h"
#include "backend/rpc/calendar/reservation_calendar_service.h"
#include "carme/v1/reservation_calendar.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Stub = v1::ReservationCalendarService::Stub;

// Slurm has a reservation that was not made with Carme.
class FakeCluster : public Scheduler {
 public:
  FakeCluster() {
    auto seen = std::make_shared<SlurmSnapshot>();
    seen->reachable = true;
    seen->reservations = {{.name = "foreign",
                           .starts_at = absl::FromUnixSeconds(1795946400),
                           .ends_at = absl::InfiniteFuture(),
                           .nodes = {"n1"},
                           .partition = "main",
                           .users = {"ada"},
                           .accounts = {}}};
    seen_ = seen;
  }
  SlurmSnapshotPtr Snapshot() const override { return seen_; }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)>) override {}
  void RefreshSoon() override {}

 private:
  SlurmSnapshotPtr seen_;
};

class Served : public AccountSite {
 public:
  Served() {
    directory_.SetPerson("ada", Account("ada", 20001, Role::kUser));
    directory_.SetPerson("fay", Account("fay", 20005, Role::kManager));
    reservations_ = std::make_unique<Reservations>(
        Reservations::Parts{database_.get(), &clock_, &cluster_, nullptr},
        ReservationsConfig());
    ServiceMap services;
    services["calendar"] = NewReservationCalendarService(reservations_.get());
    Serve(std::move(services));
    stub_ = v1::ReservationCalendarService::NewStub(AsFrontend());
    AddReservation("a000000000000001", "ada", 20001, "Class of ada");
    AddReservation("a000000000000002", "fay", 20005, "Deadline of fay");
  }
  std::string TokenOf(const std::string& name,
                      const std::vector<std::string>& scopes) {
    const Person person = directory_.LookUp(name).value();
    REQUIRE_THAT(credentials_.Recheck(person.uid, name), IsOk());
    Session owner;
    owner.username = name;
    owner.uid = person.uid;
    owner.role = person.role;
    const auto made = tokens_->Create(owner, "calendar", scopes,
                                      clock_.Now() + absl::Hours(24));
    REQUIRE_THAT(made, IsOk());
    return made->secret;
  }
  Code Get(const std::string& token) {
    CallWith call(token);
    v1::GetReservationCalendarResponse response;
    const Code code =
        stub_->GetReservationCalendar(&call, {}, &response).error_code();
    calendar_ = response.icalendar();
    return code;
  }
  bool HasEvent(const std::string& title) const {
    return calendar_.find("SUMMARY:" + title + "\r\n") != std::string::npos;
  }

  FakeCluster cluster_;
  std::unique_ptr<Reservations> reservations_;
  std::unique_ptr<Stub> stub_;
  std::string calendar_;

 private:
  void AddReservation(const std::string& id, const std::string& owner,
                      uint32_t uid, const std::string& title) {
    const Reservation reservation{
        .id = id,
        .owner = owner,
        .owner_uid = Uid(uid),
        .spec = {.title = title,
                 .partition = "main",
                 .starts_at = absl::FromUnixSeconds(1795946400),
                 .duration = absl::Hours(2)},
        .state = v1::RESERVATION_STATE_CONFIRMED,
        .changed_at = clock_.Now()};
    REQUIRE_THAT(database_->Transact([&](Database& db) {
      return InsertReservation(db, reservation, "");
    }),
                 IsOk());
  }
};

TEST_CASE("calendar service: a token of another scope is refused", "[rpc]") {
  Served served;
  CHECK(served.Get("carme_" + std::string(43, 'x')) == Code::UNAUTHENTICATED);
  CHECK(served.Get(served.TokenOf(
            "ada", {"reservations:read", "jobs:read", "account:read"})) ==
        Code::PERMISSION_DENIED);
  CHECK(served.calendar_.empty());
}

TEST_CASE("calendar service: a revoked token is refused", "[rpc]") {
  Served served;
  const std::string token = served.TokenOf("ada", {"calendar:read"});
  CHECK(served.Get(token) == Code::OK);
  REQUIRE_THAT(
      served.tokens_->Revoke(Uid(20001), served.tokens_->Of(Uid(20001))[0].id),
      IsOk());
  CHECK(served.Get(token) == Code::UNAUTHENTICATED);
}

TEST_CASE("calendar service: shows no reservations of others, to any role",
          "[rpc]") {
  Served served;
  for (const char* name : {"carol", "sam"}) {
    CAPTURE(name);
    CHECK(served.Get(served.TokenOf(name, {"calendar:read"})) == Code::OK);
    CHECK(served.calendar_.find("BEGIN:VEVENT") == std::string::npos);
  }
}

TEST_CASE("calendar service: shows the owner's reservations", "[rpc]") {
  Served served;
  CHECK(served.Get(served.TokenOf("ada", {"calendar:read"})) == Code::OK);
  CHECK(served.HasEvent("Class of ada"));
  CHECK_FALSE(served.HasEvent("Deadline of fay"));
  // Made without Carme: no user owns it.
  CHECK(served.calendar_.find("foreign") == std::string::npos);
  CHECK(served.Get(served.LogIn("fay").token) == Code::OK);
  CHECK(served.HasEvent("Deadline of fay"));
}

}  // namespace
}  // namespace carme::backend
