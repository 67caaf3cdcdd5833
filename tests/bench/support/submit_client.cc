#include "tests/bench/support/submit_client.h"

#include <utility>

#include "absl/time/clock.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "common/ids.h"
#include "tests/bench/support/frontend_channel.h"

namespace carme {
namespace {

// The backend returns "try again" while Slurm is slow.
constexpr absl::Duration kWaitTimeout = absl::Minutes(1);

}  // namespace

struct SubmitClient::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : auth(v1::AuthService::NewStub(channel)),
        jobs(v1::JobService::NewStub(channel)) {}
  std::unique_ptr<v1::AuthService::Stub> auth;
  std::unique_ptr<v1::JobService::Stub> jobs;
};

SubmitClient::SubmitClient(const std::string& address, const std::string& pki,
                           std::vector<std::string> tokens)
    : stubs_(std::make_unique<Stubs>(NewFrontendChannel(address, pki))),
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
  spec->set_memory_per_node_mib(100);
  spec->mutable_walltime()->set_seconds(300);
  spec->set_partition("main");
  request.set_idempotency_key(NewRequestId());
  v1::SubmitJobResponse response;
  const std::string& token = NextToken();
  const auto ask = [&] {
    grpc::ClientContext context;
    context.AddMetadata("carme-session", token);
    return stubs_->jobs->SubmitJob(&context, request, &response);
  };
  grpc::Status status = ask();
  while (status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         absl::Now() < start + kWaitTimeout) {
    absl::SleepFor(absl::Milliseconds(100));
    status = ask();
  }
  CheckCall(status, "SubmitJob");
  if (response.job().slurm_job_id() == 0) {
    CheckCall(grpc::Status(grpc::StatusCode::INTERNAL, "no slurm id"),
              "SubmitJob");
  }
  return absl::Now() - start;
}

absl::Duration SubmitClient::Preview(int minutes) {
  const absl::Time start = absl::Now();
  v1::PreviewJobRequest request;
  v1::JobSpec* spec = request.mutable_spec();
  spec->set_gpus_per_node(1);
  spec->set_cpus_per_node(1);
  spec->set_memory_per_node_mib(100);
  spec->mutable_walltime()->set_seconds(60 * minutes);
  spec->set_partition("main");
  v1::PreviewJobResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  CheckCall(stubs_->jobs->PreviewJob(&context, request, &response),
            "PreviewJob");
  if (!response.start_estimate().has_starts_at()) {
    CheckCall(
        grpc::Status(grpc::StatusCode::INTERNAL, response.ShortDebugString()),
        "PreviewJob without a time");
  }
  return absl::Now() - start;
}

absl::Duration SubmitClient::List() {
  const absl::Time start = absl::Now();
  v1::ListJobsResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  CheckCall(stubs_->jobs->ListJobs(&context, {}, &response), "ListJobs");
  return absl::Now() - start;
}

absl::Duration SubmitClient::CallOnly() {
  const absl::Time start = absl::Now();
  v1::GetSessionResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", NextToken());
  CheckCall(stubs_->auth->GetSession(&context, {}, &response), "GetSession");
  return absl::Now() - start;
}

}  // namespace carme
