// Two backends as programs, with the private cluster's directory and Slurm:
// "alpha" authenticates users, "beta" is a further cluster. Both use the same
// Slurm, so jobs are told apart by their databases.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/maintenance.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/servers/backend_process.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;
using Code = grpc::StatusCode;

constexpr char kApp[] =
    "[[apps]]\nid = \"echo\"\nname = \"Echo\"\ncommand = "
    "[\"/bin/true\", \"{socket}\"]\nready_path = \"/\"\n";
constexpr int kBetaAgentsPort = 9445;

std::string PasswordOf(const std::string& name) {
  std::istringstream people(std::getenv("CARME_TEST_USERS"));
  for (std::string person; people >> person;) {
    if (person.rfind(name + ":", 0) == 0) {
      return person.substr(person.rfind(':') + 1);
    }
  }
  return "";
}

// A call with one credential.
class CredentialCall : public grpc::ClientContext {
 public:
  CredentialCall(const std::string& key, const std::string& value) {
    AddMetadata(key, value);
    set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  }
};

class TwoClusters {
 public:
  TwoClusters() {
    REQUIRE(WaitFor([&] {
      v1::GetClusterResponse response;
      CredentialCall call("carme-assertion", Assert());
      v1::ClusterService::NewStub(beta_.ConnectAs("frontend"))
          ->GetCluster(&call, {}, &response);
      return response.slurm().reachable();
    }));
  }
  ~TwoClusters() { impersonator::OutputOf("scancel -f --user=ada 2>&1"); }

  // What [identity] of beta has.
  std::string BetaConfig() {
    const IssuedCertificate own =
        alpha_.IssueForBackend("URI:carme://cluster/beta");
    std::smatch key;
    const std::string log = alpha_.Log();
    REQUIRE(std::regex_search(log, key, std::regex("issuer_key=([^ \n]+)")));
    return absl::StrCat(
        kApp, "[cluster]\nname = \"beta\"\n[identity]\naddress = \"",
        alpha_.clients_address(),
        "\"\nserver_name = \"carme-backend\"\nca = \"", alpha_.ca_file(),
        "\"\ncertificate = \"", own.certificate_file, "\"\nkey = \"",
        own.key_file, "\"\nissuer_key = \"", key[1].str(), "\"\n");
  }
  // An assertion for a call of ada's session, or of another credential.
  std::string Assert(const std::string& key, const std::string& value,
                     const std::string& cluster = "beta") {
    CredentialCall call(key, value);
    v1::CreateAssertionRequest request;
    request.set_cluster(cluster);
    v1::CreateAssertionResponse response;
    last_status_ = auth_->CreateAssertion(&call, request, &response);
    return response.assertion();
  }
  std::string Assert() { return Assert("carme-session", session_); }

  grpc::Status Submit(const std::string& assertion, v1::Job* job) {
    v1::SubmitJobRequest request;
    request.mutable_spec()->mutable_walltime()->set_seconds(600);
    v1::SubmitJobResponse response;
    CredentialCall call("carme-assertion", assertion);
    const grpc::Status status =
        beta_jobs_->SubmitJob(&call, request, &response);
    *job = response.job();
    return status;
  }
  grpc::Status List(const std::string& key, const std::string& value,
                    v1::ListJobsResponse* response) {
    CredentialCall call(key, value);
    return beta_jobs_->ListJobs(&call, {}, response);
  }
  Code TryList(const std::string& key, const std::string& value) {
    v1::ListJobsResponse ignored;
    return List(key, value, &ignored).error_code();
  }
  grpc::Status Open(const std::string& assertion, const std::string& job) {
    CredentialCall call("carme-assertion", assertion);
    v1::OpenAppRequest request;
    request.set_job_id(job);
    v1::OpenAppResponse response;
    return beta_jobs_->OpenApp(&call, request, &response);
  }
  // Secret of an access token with this scope.
  std::string Token(const std::string& scope) {
    v1::CreateTokenRequest request;
    request.set_name("script");
    request.add_scopes(scope);
    request.mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(absl::Now() + absl::Hours(24)));
    v1::CreateTokenResponse response;
    CredentialCall call("carme-session", session_);
    REQUIRE_THAT(account_->CreateToken(&call, request, &response), IsOk());
    return response.secret();
  }

  impersonator::ImpersonatorProcess impersonator_;
  BackendProcess alpha_{impersonator_.socket(),
                        absl::StrCat(kApp,
                                     "[cluster]\nname = \"alpha\"\n"
                                     "[[identity.clusters]]\nname = "
                                     "\"beta\"\n")};
  BackendProcess beta_{impersonator_.socket(), BetaConfig(), kBetaAgentsPort};
  std::string session_ = alpha_.LogIn("ada", PasswordOf("ada"));
  std::unique_ptr<v1::AuthService::Stub> auth_ =
      v1::AuthService::NewStub(alpha_.ConnectAs("frontend"));
  std::unique_ptr<v1::AccountService::Stub> account_ =
      v1::AccountService::NewStub(alpha_.ConnectAs("frontend"));
  std::unique_ptr<v1::JobService::Stub> beta_jobs_ =
      v1::JobService::NewStub(beta_.ConnectAs("frontend"));
  grpc::Status last_status_;
};

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
