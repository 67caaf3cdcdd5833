// Two backends as programs, with the private cluster's directory and Slurm:
// "alpha" authenticates users, "beta" is a further cluster. Both use the same
// Slurm, so jobs are told apart by their databases.
#ifndef CARME_TESTS_BACKEND_CLUSTERS_TWO_CLUSTERS_H_
#define CARME_TESTS_BACKEND_CLUSTERS_TWO_CLUSTERS_H_

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
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/servers/backend_process.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

inline constexpr char kApp[] =
    "[[apps]]\nid = \"echo\"\nname = \"Echo\"\ncommand = "
    "[\"/bin/true\", \"{socket}\"]\nready_path = \"/\"\n";
inline constexpr int kBetaAgentsPort = 9445;

inline std::string PasswordOf(const std::string& name) {
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
    REQUIRE(testing::WaitFor([&] {
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
  grpc::StatusCode TryList(const std::string& key, const std::string& value) {
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

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_CLUSTERS_TWO_CLUSTERS_H_
