#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/maintenance/maintenance.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/maintenance.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

// An impersonator that performs, or refuses, every request.
class OneAnswerReserver : public Reserver {
 public:
  absl::Status Reserve(const PosixUser&, const ReservationRequest&,
                       const std::string&) override {
    return answer_;
  }
  absl::Status SetUsers(const PosixUser&, const ReservationRequest&,
                        const std::string&) override {
    return answer_;
  }
  absl::Status ReserveForMaintenance(const PosixUser& owner,
                                     const MaintenanceReservation&,
                                     const std::string&) override {
    owner_ = owner.name;
    return answer_;
  }
  absl::Status Unreserve(const PosixUser&, const std::string&,
                         const std::string&) override {
    return answer_;
  }

  absl::Status answer_;
  std::string owner_;
};

class MaintenanceSite : public AccountSite {
 public:
  MaintenanceSite() {
    maintenance_ =
        Maintenance::Open({database_.get(), &clock_, &reserver_, audit_.get()})
            .value();
    ServiceMap services;
    services["maintenance"] =
        NewMaintenanceService(maintenance_.get(), audit_.get(), &clock_);
    Serve(std::move(services));
    stub_ = v1::MaintenanceService::NewStub(AsFrontend());
  }
  v1::StartMaintenanceRequest TwoHours() {
    v1::StartMaintenanceRequest request;
    request.set_message("New storage");
    request.mutable_ends_at()->set_seconds(
        absl::ToUnixSeconds(clock_.Now() + absl::Hours(2)));
    return request;
  }
  Code Start(const std::string& token,
             const v1::StartMaintenanceRequest& request) {
    CallWith call(token);
    v1::StartMaintenanceResponse response;
    status_ = stub_->StartMaintenance(&call, request, &response);
    details_ = response.details();
    return status_.error_code();
  }
  Code End(const std::string& token) {
    CallWith call(token);
    v1::EndMaintenanceResponse response;
    return stub_->EndMaintenance(&call, {}, &response).error_code();
  }
  // Without a session.
  v1::Maintenance Read() {
    grpc::ClientContext call;
    v1::GetMaintenanceResponse response;
    REQUIRE_THAT(stub_->GetMaintenance(&call, {}, &response), IsOk());
    return response.maintenance();
  }

  OneAnswerReserver reserver_;
  std::unique_ptr<Maintenance> maintenance_;
  std::unique_ptr<v1::MaintenanceService::Stub> stub_;
  grpc::Status status_;
  v1::MaintenanceDetails details_;
};

TEST_CASE("maintenance service: refuses users and invalid requests", "[rpc]") {
  MaintenanceSite site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Start(site.LogIn("ada").token, site.TwoHours()) ==
        Code::PERMISSION_DENIED);
  CHECK(site.Start(site.LogIn("sam").token, site.TwoHours()) ==
        Code::PERMISSION_DENIED);
  CHECK(site.End(site.LogIn("ada").token) == Code::PERMISSION_DENIED);
  v1::StartMaintenanceRequest request = site.TwoHours();
  request.clear_ends_at();
  CHECK(site.Start(carol, request) == Code::INVALID_ARGUMENT);
  request = site.TwoHours();
  request.mutable_starts_at()->set_seconds(INT64_MAX);
  CHECK(site.Start(carol, request) == Code::INVALID_ARGUMENT);
  request = site.TwoHours();
  request.clear_message();
  CHECK(site.Start(carol, request) == Code::INVALID_ARGUMENT);
  CHECK_FALSE(site.maintenance_->Current());
}

TEST_CASE("maintenance service: shows why Slurm refuses the reservation",
          "[rpc]") {
  MaintenanceSite site;
  site.reserver_.answer_ = absl::FailedPreconditionError("invalid node name");
  v1::StartMaintenanceRequest request = site.TwoHours();
  request.set_reserve(true);
  request.set_nodes("nosuchnode");
  CHECK(site.Start(site.LogIn("carol").token, request) ==
        Code::FAILED_PRECONDITION);
  CHECK_THAT(site.status_.error_message(),
             Catch::Contains("invalid node name"));
  CHECK_FALSE(site.maintenance_->Current());
}

TEST_CASE("maintenance service: everyone sees the message and the end",
          "[rpc]") {
  MaintenanceSite site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Read().message().empty());
  v1::StartMaintenanceRequest request = site.TwoHours();
  request.set_reserve(true);
  REQUIRE(site.Start(carol, request) == Code::OK);
  CHECK(site.reserver_.owner_ == "carol");
  CHECK(site.details_.started_by() == "carol");
  CHECK_THAT(site.details_.reservation(), Catch::StartsWith("carme-"));
  const v1::Maintenance shown = site.Read();
  CHECK(shown.message() == "New storage");
  CHECK(shown.ends_at().seconds() == request.ends_at().seconds());
  CHECK(shown.in_effect());
  CHECK_THAT(site.Ask("SELECT actor || ' ' || decision FROM audit "
                      "WHERE act='maintenance-start'"),
             Catch::StartsWith("carol allow"));
  for (int times = 0; times < 2; ++times) CHECK(site.End(carol) == Code::OK);
  CHECK(site.Read().message().empty());
}

}  // namespace
}  // namespace carme::backend
