// The whole way of idle GPUs: samples of agents in a real database,
// carme-metrics' watch, the backend's policy, and what Slurm is asked for.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "backend/metrics/gpu_idle/gpu_idle_watch.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/rpc/metrics/gpu_use_service.h"
#include "carme/v1/gpu_use.grpc.pb.h"
#include "tests/backend/jobs/activity/gpu_idle_world.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using backend::GpuIdlePolicy;

constexpr absl::Duration kSamplePeriod = absl::Seconds(10);
// The shortest times that a template may have.
constexpr GpuIdlePolicy kShrink{.threshold_percent = backend::kThreshold,
                                .warn_after = absl::Minutes(2),
                                .act_after = absl::Minutes(3),
                                .action = v1::GpuIdlePolicy::ACTION_SHRINK};

// The backend's service, without the connection to it.
class ServiceOfBackend : public GpuUseBackend {
 public:
  explicit ServiceOfBackend(backend::IdleMonitor* idle)
      : service_(backend::NewGpuUseService(idle)) {}
  absl::StatusOr<v1::ListJudgedJobsResponse> ListJudgedJobs() override {
    v1::ListJudgedJobsResponse response;
    const v1::ListJudgedJobsRequest request;
    REQUIRE(service().ListJudgedJobs(nullptr, &request, &response).ok());
    return response;
  }
  absl::Status ReportGpuUse(const v1::ReportGpuUseRequest& request) override {
    v1::ReportGpuUseResponse response;
    REQUIRE(service().ReportGpuUse(nullptr, &request, &response).ok());
    return absl::OkStatus();
  }

 private:
  v1::GpuUseService::Service& service() {
    return dynamic_cast<v1::GpuUseService::Service&>(*service_);
  }
  const std::unique_ptr<grpc::Service> service_;
};

// A job with a GPU on each of three nodes, which started ten minutes ago.
struct Course : backend::GpuIdleWorld {
  Course()
      : GpuIdleWorld(kShrink, {"a1", "a2", "a3"}, {.gpus_per_node = 1},
                     absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now())) -
                         absl::Minutes(10)) {
    admission_->SetReturnableNodes(Now(), {"a2", "a3"});
  }
  // Samples of the whole ten minutes.
  void Write(const std::string& node_name, double utilization) {
    v1::WriteSamplesRequest request;
    request.set_job_id(id.value());
    v1::NodeSamples* node = request.add_nodes();
    node->set_node(node_name);
    node->set_sent_at_ms(absl::ToUnixMillis(end));
    const auto count = static_cast<size_t>((end - started_at) / kSamplePeriod);
    v1::SampleSeries* series =
        AddSeries("carme_gpu_utilization_ratio", started_at, kSamplePeriod,
                  std::vector<double>(count, utilization), node);
    (*series->mutable_labels())["gpu"] = "0";
    REQUIRE_THAT(ingest.Write(id.value(), Encoded(request)), IsOk());
  }
  void AwaitSamples() {
    REQUIRE(testing::WaitFor([&] {
      const auto rows =
          reader.ReadLargestOfGpus(id.value(), "carme_gpu_utilization_ratio",
                                   {.from_ms = absl::ToUnixMillis(end),
                                    .to_ms = absl::ToUnixMillis(end),
                                    .step_s = 3600},
                                   60);
      return rows.ok() && rows->size() == 3;
    }));
  }
  // What carme-metrics does in the minutes until `minute` of the job.
  void RunUntil(int minute) {
    while (clock_.Now() < started_at + absl::Minutes(minute)) {
      clock_.Advance(GpuIdleWatch::kInterval);
      watch.Step();
    }
  }

  const absl::Time end = started_at + absl::Minutes(10);
  FakeClock ingest_clock{end};
  TsdbServer database{TsdbServer::Kind::kVictoriaMetrics};
  KnownJobs known_jobs;
  DatabaseReader reader{{.url = database.url()}, absl::Seconds(20)};
  RemoteWriter writer{
      {.address = {.url = database.url()}, .timeout = absl::Seconds(20)}};
  SampleIngest ingest{
      {.writer = &writer, .jobs = &known_jobs, .clock = &ingest_clock}, {}};
  ServiceOfBackend service{&jobs_->idle()};
  GpuIdleWatch watch{
      {.reader = &reader, .backend = &service, .clock = &clock_}};
};

TEST_CASE("idle GPUs, whole way: a job that works is left alone", "[metrics]") {
  Course course;
  for (const char* node : {"a1", "a2", "a3"}) course.Write(node, 0.9);
  course.AwaitSamples();
  course.RunUntil(10);
  CHECK(course.Notified().empty());
  CHECK_FALSE(course.Now().idle);
  CHECK(course.slurm_.Returns() == 0);
}

TEST_CASE("idle GPUs, whole way: warns, then returns the idle nodes",
          "[metrics]") {
  Course course;
  course.Write("a1", 0.9);
  for (const char* node : {"a2", "a3"}) course.Write(node, 0.01);
  course.AwaitSamples();
  course.RunUntil(1);
  CHECK(course.Notified().empty());
  while (course.Notified().empty()) {
    REQUIRE(course.clock_.Now() < course.end);
    course.RunUntil(static_cast<int>((course.clock_.Now() - course.started_at) /
                                     absl::Minutes(1)) +
                    1);
  }
  CHECK(absl::StartsWith(course.Notified()[0],
                         "GPUs of job \"jupyter\" have been idle for "));
  CHECK(course.Now().idle->returns_nodes);
  CHECK(course.slurm_.Returns() == 0);
  course.RunUntil(7);
  REQUIRE(testing::WaitFor(
      [&] { return course.slurm_.Jobs()[0].nodes.size() == 1; }));
  course.slurm_.Poll();
  course.RunUntil(8);
  REQUIRE(course.Notified().size() == 2);
  CHECK(absl::StartsWith(course.Notified()[0],
                         "Job \"jupyter\" continues without a2, a3, whose "
                         "GPUs were idle for "));
  CHECK(course.Now().nodes == std::vector<std::string>{"a1"});
  CHECK(course.IsReady());
}

TEST_CASE("idle GPUs, whole way: a job that does nothing is stopped",
          "[metrics]") {
  Course course;
  for (const char* node : {"a1", "a2", "a3"}) course.Write(node, 0);
  course.AwaitSamples();
  course.RunUntil(8);
  CHECK(course.Now().state == v1::JOB_STATE_STOPPING);
  CHECK(course.Now().stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK(absl::StartsWith(course.Now().reason.text,
                         "stopped: its GPUs were idle since "));
  CHECK(course.slurm_.Returns() == 0);
}

}  // namespace
}  // namespace carme::metrics
