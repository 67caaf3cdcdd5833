#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "backend/rpc/agent_service.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/hash.h"
#include "tests/backend/rpc/job_calls.h"

namespace carme {
namespace {

// munged as a table of credentials that a test writes; the real one is in
// credential_decoder_server_test.cc.
class TableDecoder : public CredentialDecoder {
 public:
  absl::StatusOr<Credential> Decode(const std::string& credential) override {
    if (credential == "munged is away") {
      return absl::UnavailableError("munge: Socket communication error");
    }
    const auto found = made_.find(credential);
    if (found == made_.end()) {
      return absl::PermissionDeniedError("munge: Replayed credential");
    }
    const Credential decoded = found->second;
    made_.erase(found);
    return decoded;
  }
  template <typename Request>
  void Sign(const std::string& method, Uid uid, Request* request) {
    request->clear_munge();
    const std::string payload =
        Sha256(method + '\0' + request->SerializeAsString());
    const std::string name = "credential " + std::to_string(++count_);
    made_[name] = {uid, payload};
    request->set_munge(name);
  }

 private:
  std::map<std::string, Credential> made_;
  int count_ = 0;
};

std::string NewRequestPem() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509_REQ* request = X509_REQ_new();
  X509_REQ_set_pubkey(request, key);
  X509_REQ_sign(request, key, EVP_sha256());
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509_REQ(bio, request);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(length));
  BIO_free(bio);
  X509_REQ_free(request);
  EVP_PKEY_free(key);
  return pem;
}

constexpr char kRegister[] = "/carme.v1.AgentService/Register";
constexpr char kReport[] = "/carme.v1.AgentService/ReportState";

class Served : public JobCalls {
 public:
  Served() {
    Serve(NewAgentService({.decoder = &decoder_,
                           .admission = admission_.get(),
                           .job_ca = &job_ca_,
                           .config = &config_,
                           .audit = audit_.get(),
                           .clock = &clock_,
                           .proxy_ca_pem = [] { return "proxy CA"; },
                           .proxy_crl_pem = [] { return ""; },
                           .proxy_name = "dmz",
                           .ticket_public_key = std::string(32, 'k')}),
          "agent");
    stub_ = v1::AgentService::NewStub(server_->Connect(Port::kAgents, ""));
    job_ = Submit(ada_).value();
    slurm_.Run(job_.slurm_id);
    slurm_.Poll();
  }
  v1::RegisterRequest Registration() {
    v1::RegisterRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    request.set_csr_pem(NewRequestPem());
    request.set_port(34000);
    return request;
  }
  grpc::StatusCode Register(const v1::RegisterRequest& request) {
    CallBy call("");
    return stub_->Register(&call, request, &response_).error_code();
  }
  grpc::StatusCode Report(v1::AppState state, Uid uid,
                          const std::string& detail = "") {
    v1::ReportStateRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    request.set_state(state);
    request.set_detail(detail);
    decoder_.Sign(kReport, uid, &request);
    CallBy call("");
    v1::ReportStateResponse response;
    return stub_->ReportState(&call, request, &response).error_code();
  }

  TableDecoder decoder_;
  JobCa job_ca_ = JobCa::Open(dir_.File("ca.pem"), clock_.Now()).value();
  std::unique_ptr<v1::AgentService::Stub> stub_;
  v1::RegisterResponse response_;
  Job job_;
};

TEST_CASE("agent service: refuses whatever is not proved", "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kReport, served.ada_.uid, &request);  // another call's
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  request.set_port(34001);  // changed on the way
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kRegister, served.bob_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  request.set_munge("munged is away");
  CHECK(served.Register(request) == grpc::StatusCode::UNAVAILABLE);

  request.set_port(80);
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::INVALID_ARGUMENT);

  request = served.Registration();
  request.set_csr_pem("none");
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(served.Now(served.job_.id).agent.port == 0);
}

TEST_CASE("agent service: a credential works once", "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::OK);
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);
}

TEST_CASE("agent service: a report before the registration is refused",
          "[backend]") {
  Served served;
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid) ==
        grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(served.Report(v1::APP_STATE_UNSPECIFIED, served.ada_.uid) ==
        grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_CASE("agent service: an agent gets what it needs, then is ready",
          "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  const v1::RegisterResponse& got = served.response_;
  CHECK(got.job_id() == served.job_.id.value());
  CHECK(got.app() == "jupyter");
  CHECK(absl::StartsWith(got.certificate_pem(), "-----BEGIN CERTIFICATE"));
  CHECK(got.proxy_ca_pem() == "proxy CA");
  CHECK(got.command(1) == "{socket}");
  CHECK(got.public_host() == served.job_.id.value() + ".jobs.carme.test:8443");
  CHECK(served.Now(served.job_.id).agent == AgentEndpoint{"127.0.0.1", 34000});
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid) ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).state == JobState::kReady);
  CHECK(served.Report(v1::APP_STATE_ENDED, served.ada_.uid, "it crashed") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).reason == "it crashed");
}

}  // namespace
}  // namespace carme
