#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/activity.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

// Called by a proxy.
struct Reports : JobCalls {
  Reports() {
    job = Registered();
    REQUIRE_THAT(admission_->ReportApp(job.id, kOwnAppReady), IsOk());
    Serve(NewActivityService(&jobs_->idle()), "activity");
    stub_ = v1::ActivityService::NewStub(
        server_->Connect(Port::kClients, "URI:carme://proxy/dmz"));
  }
  ~Reports() { Stop(); }
  grpc::StatusCode Report(const v1::ReportActivityRequest& request) {
    CallBy call("");
    v1::ReportActivityResponse response;
    return stub_->ReportActivity(&call, request, &response).error_code();
  }
  v1::ReportActivityRequest Of(const std::string& job_id) const {
    v1::ReportActivityRequest request;
    request.set_instance("proxy-1");
    v1::JobActivity* row = request.add_jobs();
    row->set_job_id(job_id);
    row->set_connections(2);
    row->set_received_bytes(11);
    row->set_sent_bytes(13);
    return request;
  }
  Job job;
  std::unique_ptr<v1::ActivityService::Stub> stub_;
};

TEST_CASE("activity service: refuses a malformed report", "[backend]") {
  Reports world;
  v1::ReportActivityRequest request = world.Of(world.job.id.value());
  for (const std::string& wrong :
       {std::string(), std::string(33, 'x'), std::string("a b")}) {
    request.set_instance(wrong);
    CHECK(world.Report(request) == grpc::StatusCode::INVALID_ARGUMENT);
  }
  request.set_instance("proxy-1");
  for (int i = 0; i < 1000; ++i) *request.add_jobs() = request.jobs(0);
  CHECK(world.Report(request) == grpc::StatusCode::INVALID_ARGUMENT);
  CHECK_FALSE(world.Now(world.job.id).in_use);
}

TEST_CASE("activity service: the proxy's report appears on the job",
          "[backend]") {
  Reports world;
  CHECK(world.Report(world.Of("no id")) == grpc::StatusCode::OK);
  CHECK(world.Report(world.Of("zzzzzzzzzzzzzzzz")) == grpc::StatusCode::OK);
  CHECK_FALSE(world.Now(world.job.id).in_use);
  CHECK(world.Report(world.Of(world.job.id.value())) == grpc::StatusCode::OK);
  const JobInUse shown = world.Now(world.job.id).in_use.value();
  CHECK(shown.connections == 2);
  CHECK_FALSE(shown.last_input);
  CHECK(shown.received_bytes == 11);
  CHECK(shown.sent_bytes == 13);
}

TEST_CASE("activity service: numbers without measure do no harm", "[backend]") {
  Reports world;
  v1::ReportActivityRequest request = world.Of(world.job.id.value());
  for (int i = 0; i < 20; ++i) {
    request.set_instance("proxy-" + std::to_string(i));
    request.mutable_jobs(0)->set_connections(UINT32_MAX);
    request.mutable_jobs(0)->set_received_bytes(UINT64_MAX);
    CHECK(world.Report(request) == grpc::StatusCode::OK);
  }
  const JobInUse shown = world.Now(world.job.id).in_use.value();
  CHECK(shown.connections == 8'000'000);
  CHECK(shown.received_bytes == 8 * (uint64_t{1} << 56));
}

}  // namespace
}  // namespace carme::backend
