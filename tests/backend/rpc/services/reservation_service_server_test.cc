#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/reservations/reservations.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/reservation.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Stub = v1::ReservationService::Stub;

// One node, and an impersonator that performs every request.
class OneNode : public Scheduler, public Reserver {
 public:
  OneNode() {
    auto seen = std::make_shared<SlurmSnapshot>();
    seen->reachable = true;
    SlurmNode node;
    node.name = "n1";
    node.has_feature = true;
    node.partitions = {"main"};
    seen->nodes = {node};
    seen->partitions = {{"main", true, true, std::nullopt, {"n1"}}};
    seen_ = seen;
  }
  SlurmSnapshotPtr Snapshot() const override { return seen_; }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)>) override {}
  void RefreshSoon() override {}
  absl::Status Reserve(const PosixUser&, const ReservationRequest& reservation,
                       const std::string&) override {
    booked_ = reservation;
    return answer_;
  }
  absl::Status SetUsers(const PosixUser&, const ReservationRequest&,
                        const std::string&) override {
    return answer_;
  }
  absl::Status ReserveForMaintenance(const PosixUser&,
                                     const MaintenanceReservation&,
                                     const std::string&) override {
    return answer_;
  }
  absl::Status Unreserve(const PosixUser& owner, const std::string& name,
                         const std::string&) override {
    ended_ = owner.name + " " + name;
    return answer_;
  }

  absl::Status answer_;
  ReservationRequest booked_;
  std::string ended_;

 private:
  SlurmSnapshotPtr seen_;
};

class Served : public AccountSite {
 public:
  Served() {
    ReservationsConfig config;
    config.partitions = {"main"};
    config.max_per_user = 6;
    config.max_per_project = 7;
    reservations_ = std::make_unique<Reservations>(
        Reservations::Parts{database_.get(), &clock_, &slurm_, &slurm_},
        config);
    directory_.SetPerson("fay", Account("fay", 20005, Role::kManager));
    ServiceMap services;
    services["reservation"] =
        NewReservationService(reservations_.get(), audit_.get());
    Serve(std::move(services));
    stub_ = v1::ReservationService::NewStub(AsFrontend());
  }
  v1::CreateReservationRequest Class() {
    v1::CreateReservationRequest request;
    v1::ReservationSpec* spec = request.mutable_spec();
    spec->set_title("Secret class");
    spec->set_nodes(1);
    spec->mutable_starts_at()->set_seconds(
        absl::ToUnixSeconds(clock_.Now() + absl::Hours(2)));
    spec->mutable_duration()->set_seconds(3600);
    return request;
  }
  Code Create(const std::string& token,
              const v1::CreateReservationRequest& request) {
    CallWith call(token);
    v1::CreateReservationResponse response;
    status_ = stub_->CreateReservation(&call, request, &response);
    booked_ = response.reservation();
    return status_.error_code();
  }
  Code Cancel(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::CancelReservationRequest request;
    request.set_id(id);
    v1::CancelReservationResponse response;
    status_ = stub_->CancelReservation(&call, request, &response);
    return status_.error_code();
  }
  v1::ListReservationsResponse List(const std::string& token) {
    CallWith call(token);
    v1::ListReservationsResponse response;
    status_ = stub_->ListReservations(&call, {}, &response);
    REQUIRE_THAT(status_, IsOk());
    return response;
  }

  OneNode slurm_;
  std::unique_ptr<Reservations> reservations_;
  std::unique_ptr<Stub> stub_;
  grpc::Status status_;
  v1::Reservation booked_;
};

constexpr char kLastAct[] =
    "SELECT actor || ' ' || act || ' ' || decision || ' ' || subject "
    "FROM audit WHERE act LIKE 'reservation-%' ORDER BY sequence DESC";

TEST_CASE("reservation service: refuses invalid requests and other users",
          "[rpc]") {
  Served served;
  const std::string fay = served.LogIn("fay").token;
  const std::string ada = served.LogIn("ada").token;
  v1::CreateReservationRequest request = served.Class();
  CHECK(served.Create(ada, request) == Code::PERMISSION_DENIED);
  CHECK_THAT(served.Ask(kLastAct),
             Catch::StartsWith("ada reservation-book refuse"));
  request.mutable_spec()->clear_starts_at();
  CHECK(served.Create(fay, request) == Code::INVALID_ARGUMENT);
  request = served.Class();
  request.mutable_spec()->mutable_duration()->set_seconds(INT64_MAX);
  CHECK(served.Create(fay, request) == Code::INVALID_ARGUMENT);
  request = served.Class();
  request.mutable_spec()->mutable_starts_at()->set_seconds(INT64_MIN);
  CHECK(served.Create(fay, request) == Code::INVALID_ARGUMENT);
  request = served.Class();
  request.set_idempotency_key(std::string(65, 'k'));
  CHECK(served.Create(fay, request) == Code::INVALID_ARGUMENT);
  request = served.Class();
  request.mutable_spec()->set_nodes(2);
  CHECK(served.Create(fay, request) == Code::FAILED_PRECONDITION);
  CHECK(served.slurm_.booked_.name.empty());
  CHECK(served.Cancel(fay, "../../etc/passwd") == Code::NOT_FOUND);
}

TEST_CASE("reservation service: books, lists, cancels and audits", "[rpc]") {
  Served served;
  const std::string fay = served.LogIn("fay").token;
  const std::string ada = served.LogIn("ada").token;
  REQUIRE(served.Create(fay, served.Class()) == Code::OK);
  const v1::Reservation booked = served.booked_;
  CHECK(booked.name() == "carme-" + booked.id());
  CHECK(booked.state() == v1::RESERVATION_STATE_CONFIRMED);
  CHECK(served.slurm_.booked_.users == std::vector<std::string>{"fay"});
  const std::string entry = served.Ask(kLastAct);
  CHECK_THAT(entry, Catch::StartsWith("fay reservation-book allow carme-") &&
                        Catch::Contains("main 1 nodes"));
  // Its purpose is not visible to others.
  CHECK_THAT(entry, !Catch::Contains("Secret"));

  const v1::ListReservationsResponse own = served.List(fay);
  CHECK(own.may_reserve_alone());
  CHECK(own.limits().max_nodes() == 4);
  CHECK(own.limits().max_per_user() == 6);
  CHECK(own.limits().max_per_project() == 7);
  CHECK(own.reservations(0).may_cancel());
  CHECK_FALSE(served.List(ada).may_reserve_alone());
  CHECK(served.List(ada).reservations().empty());

  CHECK(served.Cancel(ada, booked.id()) == Code::NOT_FOUND);
  CHECK(served.slurm_.ended_.empty());
  // An administrator ends it, as its owner.
  REQUIRE(served.Cancel(served.LogIn("carol").token, booked.id()) == Code::OK);
  CHECK(served.slurm_.ended_ == "fay " + booked.name());
  CHECK_THAT(served.Ask(kLastAct),
             Catch::StartsWith("carol reservation-cancel allow"));
  CHECK(served.List(fay).reservations().empty());
}

}  // namespace
}  // namespace carme::backend
