#include "tests/bench/submit_client.h"

#include <grpcpp/grpcpp.h>
#include <liboath/oath.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/time/clock.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/ids.h"

namespace carme {
namespace {

void Check(const grpc::Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "submit_client: %s: %d %s\n", what, status.error_code(),
               status.error_message().c_str());
  std::exit(1);
}

std::shared_ptr<grpc::Channel> NewChannel(const std::string& address,
                                          const std::string& pki) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile(pki + "/ca.pem").value();
  options.pem_cert_chain = ReadFile(pki + "/frontend.pem").value();
  options.pem_private_key = ReadFile(pki + "/frontend.key").value();
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(options),
                                   arguments);
}

std::string CodeOf(const std::string& base32) {
  const std::string secret = Base32Decode(base32).value();
  char code[16];
  oath_totp_generate(secret.data(), secret.size(), time(nullptr), 30, 0, 6,
                     code);
  return code;
}

}  // namespace

struct SubmitClient::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : auth(v1::AuthService::NewStub(channel)),
        jobs(v1::JobService::NewStub(channel)) {}
  std::unique_ptr<v1::AuthService::Stub> auth;
  std::unique_ptr<v1::JobService::Stub> jobs;
};

SubmitClient::SubmitClient(const std::string& address, const std::string& pki,
                           const std::string& user, const std::string& password)
    : stubs_(std::make_unique<Stubs>(NewChannel(address, pki))) {
  v1::LoginRequest login;
  v1::LoginResponse challenge;
  login.set_username(user);
  login.set_password(password);
  grpc::ClientContext first;
  first.AddMetadata("carme-client-address", "127.0.0.1");
  Check(stubs_->auth->Login(&first, login, &challenge), "Login");
  v1::VerifyFactorRequest factor;
  v1::VerifyFactorResponse session;
  factor.set_challenge(challenge.challenge());
  factor.set_totp(CodeOf(challenge.enrolment().secret()));
  grpc::ClientContext second;
  second.AddMetadata("carme-client-address", "127.0.0.1");
  Check(stubs_->auth->VerifyFactor(&second, factor, &session), "VerifyFactor");
  tokens_.push_back(session.session_token());
}

SubmitClient::SubmitClient(const std::string& address, const std::string& pki,
                           std::vector<std::string> tokens)
    : stubs_(std::make_unique<Stubs>(NewChannel(address, pki))),
      tokens_(std::move(tokens)) {}

SubmitClient::~SubmitClient() = default;

const std::string& SubmitClient::NextToken() {
  return tokens_[next_++ % tokens_.size()];
}

absl::Duration SubmitClient::Submit() {
  const absl::Time start = absl::Now();
  v1::SubmitJobRequest request;
  v1::JobSpec* spec = request.mutable_spec();
  spec->set_name("bench");
  spec->set_gpus_per_node(1);
  spec->set_cpus_per_node(1);
  spec->set_memory_per_node(100);
  spec->mutable_walltime()->set_seconds(300);
  spec->set_partition("main");
  request.set_idempotency_key(NewRequestId());
  v1::SubmitJobResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  Check(stubs_->jobs->SubmitJob(&context, request, &response), "SubmitJob");
  if (response.job().slurm_job_id() == 0) {
    Check(grpc::Status(grpc::StatusCode::INTERNAL, "no slurm id"), "SubmitJob");
  }
  return absl::Now() - start;
}

absl::Duration SubmitClient::Preview(int minutes) {
  const absl::Time start = absl::Now();
  v1::PreviewJobRequest request;
  v1::JobSpec* spec = request.mutable_spec();
  spec->set_gpus_per_node(1);
  spec->set_cpus_per_node(1);
  spec->set_memory_per_node(100);
  spec->mutable_walltime()->set_seconds(60 * minutes);
  spec->set_partition("main");
  v1::PreviewJobResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  Check(stubs_->jobs->PreviewJob(&context, request, &response), "PreviewJob");
  if (!response.forecast().has_starts_at()) {
    Check(grpc::Status(grpc::StatusCode::INTERNAL, response.ShortDebugString()),
          "PreviewJob without a time");
  }
  return absl::Now() - start;
}

absl::Duration SubmitClient::List() {
  const absl::Time start = absl::Now();
  v1::ListJobsResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  Check(stubs_->jobs->ListJobs(&context, {}, &response), "ListJobs");
  return absl::Now() - start;
}

absl::Duration SubmitClient::CallOnly() {
  const absl::Time start = absl::Now();
  v1::GetSessionResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  Check(stubs_->auth->GetSession(&context, {}, &response), "GetSession");
  return absl::Now() - start;
}

}  // namespace carme
