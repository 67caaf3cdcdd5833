// A further cluster's backend and the identity backend, as programs.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/maintenance.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "tests/backend/clusters/two_clusters.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/servers/backend_process.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;
using Code = grpc::StatusCode;

// Of the connection to the identity backend; unspecified: not allowed to see
// it.
v1::HealthState HealthAtBeta(TwoClusters* site, const std::string& assertion) {
  CredentialCall call("carme-assertion", assertion);
  v1::GetHealthResponse response;
  v1::AdminService::NewStub(site->beta_.ConnectAs("frontend"))
      ->GetHealth(&call, {}, &response);
  for (const v1::ComponentHealth& health : response.components()) {
    if (health.component() == v1::HEALTH_COMPONENT_IDENTITY_BACKEND) {
      return health.state();
    }
  }
  return v1::HEALTH_STATE_UNSPECIFIED;
}

TEST_CASE("two clusters: a user of one portal has jobs at the further cluster",
          "[backend]") {
  TwoClusters site;
  // Refusals.
  CHECK(site.Assert("carme-session", site.session_, "gamma").empty());
  CHECK(site.last_status_.error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.TryList("carme-session", site.session_) ==
        Code::FAILED_PRECONDITION);
  const std::string read_only = site.Token("jobs:read");
  CHECK(site.TryList("carme-token", read_only) == Code::FAILED_PRECONDITION);
  CHECK(site.TryList("carme-assertion", "x") == Code::UNAUTHENTICATED);
  const std::string assertion = site.Assert();
  {
    CredentialCall call("carme-assertion", assertion);
    v1::GetSessionResponse response;
    CHECK(v1::AuthService::NewStub(site.beta_.ConnectAs("frontend"))
              ->GetSession(&call, {}, &response)
              .error_code() == Code::FAILED_PRECONDITION);
  }
  {
    CredentialCall call("carme-assertion", assertion);
    v1::GetSessionResponse response;
    CHECK(site.auth_->GetSession(&call, {}, &response).error_code() ==
          Code::FAILED_PRECONDITION);
  }
  {  // The proxy's certificate does not let a user in.
    CredentialCall call("carme-assertion", assertion);
    v1::ListJobsResponse response;
    CHECK(v1::JobService::NewStub(site.beta_.ConnectAs("proxy"))
              ->ListJobs(&call, {}, &response)
              .error_code() != Code::OK);
  }

  // A job at beta.
  v1::Job job;
  REQUIRE_THAT(site.Submit(assertion, &job), IsOk());
  CHECK(job.cluster() == "beta");
  CHECK(job.owner() == "ada");
  v1::ListJobsResponse list;
  REQUIRE_THAT(site.List("carme-assertion", assertion, &list), IsOk());
  REQUIRE(list.jobs_size() == 1);
  CHECK(list.jobs(0).id() == job.id());
  CHECK(list.jobs(0).cluster() == "beta");
  CHECK(impersonator::OutputOf("squeue -h -o %u").find("ada") !=
        std::string::npos);
  {
    v1::ListJobsResponse alphas;
    SessionCall call(site.session_);
    REQUIRE_THAT(v1::JobService::NewStub(site.alpha_.ConnectAs("frontend"))
                     ->ListJobs(&call, {}, &alphas),
                 IsOk());
    CHECK(alphas.jobs_size() == 0);
  }

  // The scopes of a token hold there, too.
  const std::string scoped = site.Assert("carme-token", read_only);
  REQUIRE(!scoped.empty());
  CHECK(site.TryList("carme-assertion", scoped) == Code::OK);
  v1::Job none;
  CHECK(site.Submit(scoped, &none).error_code() == Code::PERMISSION_DENIED);

  // Administrators' rpcs need the role at beta, and the second factor.
  {
    CredentialCall call("carme-assertion", assertion);
    v1::EndMaintenanceResponse response;
    CHECK(v1::MaintenanceService::NewStub(site.beta_.ConnectAs("frontend"))
              ->EndMaintenance(&call, {}, &response)
              .error_code() == Code::PERMISSION_DENIED);
  }
  // A role that beta's directory gives, and the health of its connection.
  CHECK(HealthAtBeta(&site, assertion) == v1::HEALTH_STATE_UNSPECIFIED);
  const std::string carol = site.alpha_.LogIn("carol", PasswordOf("carol"));
  CHECK(WaitFor([&] {
    return HealthAtBeta(&site, site.Assert("carme-session", carol)) ==
           v1::HEALTH_STATE_OK;
  }));

  // The end of the session at alpha is its end at beta, where its apps close.
  // The stream of alpha may need a moment after the start.
  REQUIRE(WaitFor([&] { return site.Open(assertion, job.id()).ok(); }));
  grpc::ClientContext watch;
  const auto routes = v1::RouteService::NewStub(site.beta_.ConnectAs("proxy"));
  const auto stream = routes->WatchRoutes(&watch, {});
  v1::WatchRoutesResponse message;
  REQUIRE(stream->Read(&message));
  {
    SessionCall call(site.session_);
    v1::LogoutResponse response;
    REQUIRE_THAT(site.auth_->Logout(&call, {}, &response), IsOk());
  }
  while (message.revoked_sessions_size() == 0) REQUIRE(stream->Read(&message));
  watch.TryCancel();
  CHECK(site.TryList("carme-assertion", assertion) == Code::UNAUTHENTICATED);
  CHECK(site.Assert().empty());
  CHECK(site.last_status_.error_code() == Code::UNAUTHENTICATED);
  CHECK(site.TryList("carme-assertion", scoped) == Code::OK);
}

TEST_CASE("two clusters: no app is opened before the identity backend answers",
          "[backend]") {
  TwoClusters site;
  const std::string assertion = site.Assert();
  v1::Job job;
  REQUIRE_THAT(site.Submit(assertion, &job), IsOk());
  REQUIRE(WaitFor([&] { return site.Open(assertion, job.id()).ok(); }));
  site.alpha_.Kill();
  site.beta_.KillAndRestart();
  site.beta_jobs_ = v1::JobService::NewStub(site.beta_.ConnectAs("frontend"));
  CHECK(site.TryList("carme-assertion", assertion) == Code::OK);
  CHECK(site.Open(assertion, job.id()).error_code() == Code::UNAVAILABLE);
  CHECK(WaitFor([&] {
    return site.beta_.Log().find("connection to the identity backend lost") !=
           std::string::npos;
  }));
}

}  // namespace
}  // namespace carme::backend
