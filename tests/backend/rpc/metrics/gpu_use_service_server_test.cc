// What carme-metrics reports of GPUs, as the backend receives it.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/rpc/metrics/gpu_use_service.h"
#include "carme/v1/gpu_use.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

constexpr GpuIdlePolicy kPolicy{.threshold_percent = 5,
                                .warn_after = absl::Minutes(60),
                                .act_after = absl::Minutes(90),
                                .action = v1::GpuIdlePolicy::ACTION_STOP};

// A job of Ada's with a GPU, whose template has the policy.
class GpuUseSite : public JobCalls {
 public:
  GpuUseSite() {
    const auto made = templates_->Create({.name = "GPUs", .gpu_idle = kPolicy});
    REQUIRE_THAT(made, IsOk());
    REQUIRE_THAT(templates_->Attach(made->job_template.id, "", true), IsOk());
    JobSpec spec;
    spec.gpus_per_node = 1;
    const auto job = Submit(ada_, "", spec);
    REQUIRE_THAT(job, IsOk());
    id_ = job->id;
    slurm_.Run(job->slurm_id);
    slurm_.Poll();
    REQUIRE_THAT(admission_->Register(id_, {"127.0.0.1", 34000}), IsOk());
    REQUIRE_THAT(admission_->ReportApp(id_, kOwnAppReady), IsOk());
    Serve(NewGpuUseService(&jobs_->idle()), "gpu use");
    stub_ = v1::GpuUseService::NewStub(
        server_->Connect(Port::kClients, kMetricsNames));
  }
  ~GpuUseSite() { Stop(); }

  grpc::Status Report(const std::string& job, const std::string& gpu,
                      int64_t idle_s) {
    v1::ReportGpuUseRequest request;
    v1::JobGpuUse* use = request.add_jobs();
    use->set_job_id(job);
    use->set_threshold_percent(5);
    v1::GpuUse* row = use->add_gpus();
    row->mutable_gpu()->set_node("a1");
    row->mutable_gpu()->set_gpu(gpu);
    row->mutable_idle_for()->set_seconds(idle_s);
    return Send(request);
  }
  grpc::Status Send(const v1::ReportGpuUseRequest& request) {
    CallBy call("");
    v1::ReportGpuUseResponse response;
    return stub_->ReportGpuUse(&call, request, &response);
  }

  JobId id_;
  std::unique_ptr<v1::GpuUseService::Stub> stub_;
};

TEST_CASE("GPU use: refuses too many jobs and GPUs", "[backend]") {
  GpuUseSite site;
  v1::ReportGpuUseRequest jobs;
  for (int i = 0; i < 1001; ++i) jobs.add_jobs();
  CHECK(site.Send(jobs).error_code() == grpc::INVALID_ARGUMENT);
  v1::ReportGpuUseRequest gpus;
  for (int i = 0; i < 2501; ++i) {
    if (i % 2 == 0) gpus.add_jobs();
    gpus.mutable_jobs(i / 2)->add_gpus();
  }
  CHECK(site.Send(gpus).error_code() == grpc::INVALID_ARGUMENT);
}

TEST_CASE("GPU use: ignores other jobs, and GPUs without a number",
          "[backend]") {
  GpuUseSite site;
  site.clock_.Advance(absl::Hours(2));
  for (const char* const job : {"", "jaaaaaaaaaaaaaaa", "../etc"}) {
    CHECK(site.Report(job, "0", 7200).ok());
  }
  for (const char* const gpu : {"", "0\n1", "0123456789abcdefg", "<b>"}) {
    CHECK(site.Report(site.id_.value(), gpu, 7200).ok());
  }
  CHECK_FALSE(site.Now(site.id_).idle);
  CHECK(site.Report(site.id_.value(), "0", -7200).ok());
  CHECK_FALSE(site.Now(site.id_).idle);
}

TEST_CASE("GPU use: lists the jobs to measure, and warns", "[backend]") {
  GpuUseSite site;
  CallBy call("");
  v1::ListJudgedJobsResponse judged;
  REQUIRE(site.stub_->ListJudgedJobs(&call, {}, &judged).ok());
  REQUIRE(judged.jobs_size() == 1);
  CHECK(judged.jobs(0).job_id() == site.id_.value());
  CHECK(judged.jobs(0).threshold_percent() == 5);
  CHECK(judged.jobs(0).window().seconds() == 90 * 60);
  CHECK(judged.jobs(0).gpus() == 1);
  site.clock_.Advance(absl::Hours(2));
  CHECK(site.Report(site.id_.value(), "0", 3599).ok());
  CHECK_FALSE(site.Now(site.id_).idle);
  CHECK(site.Report(site.id_.value(), "0", 3600).ok());
  REQUIRE(site.Now(site.id_).idle);
  CHECK(site.Now(site.id_).idle->gpus == std::vector<JobGpu>{{"a1", "0"}});
}

}  // namespace
}  // namespace carme::backend
