#include "backend/rpc/metrics/gpu_use_service.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/metrics/messages.h"
#include "carme/v1/gpu_use.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr int kMaxReportedJobs = 1000;
constexpr int64_t kMaxReportedGpus = 2500;
// The agent of the job chose the number: it is shown in messages.
constexpr NameRule kGpuRule{.characters = kSlurmNameRule.characters,
                            .max_bytes = 16};

MeasuredGpus GpusOf(const v1::JobGpuUse& use) {
  MeasuredGpus measured{.threshold_percent = use.threshold_percent()};
  for (const v1::GpuUse& row : use.gpus()) {
    if (!kGpuRule.Allows(row.gpu().gpu())) continue;
    const absl::Duration idle_for = absl::Seconds(row.idle_for().seconds());
    const JobGpu gpu{row.gpu().node(), row.gpu().gpu()};
    const auto [found, is_new] = measured.idle_for.emplace(gpu, idle_for);
    if (!is_new) found->second = std::min(found->second, idle_for);
  }
  return measured;
}

class GpuUseService : public v1::GpuUseService::Service {
 public:
  explicit GpuUseService(IdleMonitor* idle) : idle_(idle) {}

  grpc::Status ListJudgedJobs(grpc::ServerContext* /*context*/,
                              const v1::ListJudgedJobsRequest* /*request*/,
                              v1::ListJudgedJobsResponse* response) override {
    for (const GpuJudgedJob& job : idle_->ListGpuJudgedJobs()) {
      v1::JudgedJob* row = response->add_jobs();
      row->set_job_id(job.id.value());
      row->set_threshold_percent(job.policy.threshold_percent);
      Fill(std::max(job.policy.warn_after, job.policy.act_after),
           row->mutable_window());
      row->set_gpus(job.gpus);
    }
    return grpc::Status::OK;
  }

  grpc::Status ReportGpuUse(grpc::ServerContext* /*context*/,
                            const v1::ReportGpuUseRequest* request,
                            v1::ReportGpuUseResponse* /*response*/) override {
    int64_t gpus = 0;
    for (const v1::JobGpuUse& job : request->jobs()) gpus += job.gpus_size();
    if (request->jobs_size() > kMaxReportedJobs || gpus > kMaxReportedGpus) {
      return ToGrpc(MakeError(rpc_metrics_messages::kTooManyGpus,
                              {{"jobs", request->jobs_size()},
                               {"gpus", gpus},
                               {"max_jobs", kMaxReportedJobs},
                               {"max_gpus", kMaxReportedGpus}}));
    }
    for (const v1::JobGpuUse& job : request->jobs()) {
      idle_->OnGpuUse(JobId(job.job_id()), GpusOf(job));
    }
    return grpc::Status::OK;
  }

 private:
  IdleMonitor* const idle_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewGpuUseService(IdleMonitor* idle) {
  return std::make_unique<GpuUseService>(idle);
}

}  // namespace carme::backend
