#include <grpcpp/server_context.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "backend/metrics/jobs/known_jobs.h"
#include "backend/metrics/pages/clustercockpit.h"
#include "backend/metrics/pages/export_files.h"
#include "backend/metrics/pages/finding_pages.h"
#include "backend/metrics/pages/gssr_database.h"
#include "backend/metrics/pages/job_pages.h"
#include "backend/metrics/query/database_reader.h"
#include "backend/metrics/query/live_samples.h"
#include "backend/metrics/query/messages.h"
#include "backend/metrics/query/prometheus_queries.h"
#include "backend/metrics/query/promql_restriction.h"
#include "backend/metrics/server/messages.h"
#include "backend/metrics/server/portal_callers.h"
#include "backend/metrics/server/services.h"
#include "carme/v1/metrics.grpc.pb.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/grpc/grpc_status.h"
#include "common/grpc/status_origin.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr char kGet[] = "/carme.v1.MetricsService/GetJobMetrics";
constexpr char kWatch[] = "/carme.v1.MetricsService/WatchJobMetrics";
constexpr char kQuery[] = "/carme.v1.MetricsService/QueryPromql";
constexpr char kPrometheus[] = "/carme.v1.MetricsService/QueryPrometheus";
constexpr char kExport[] = "/carme.v1.MetricsService/ExportJob";
constexpr char kFindings[] = "/carme.v1.MetricsService/ListJobFindings";
constexpr char kRate[] = "/carme.v1.MetricsService/RateJobFinding";
constexpr char kReceipt[] = "/carme.v1.MetricsService/GetJobReceipt";
constexpr char kSummarize[] = "/carme.v1.MetricsService/SummarizeJobs";

// metrics.proto: 10
constexpr absl::Duration kHeartbeat = absl::Seconds(8);
// How soon the end of a job or of a stream is noticed.
constexpr absl::Duration kWait = absl::Seconds(1);
// A session may have ended in the meantime.
constexpr absl::Duration kMaxStreamTime = absl::Minutes(10);
// Each stream has a thread.
constexpr int kMaxStreams = 128;
// Each reads up to 100 archives, one after the other.
constexpr int kMaxSummaries = 4;
// Each holds a whole job in memory.
constexpr int kMaxExports = 4;
// The frontend takes responses of 256 MiB.
constexpr int64_t kMaxExportBytes = int64_t{240} << 20;

class MetricsService : public v1::MetricsService::Service {
 public:
  explicit MetricsService(const MetricsServiceParts& parts)
      : parts_(parts), prometheus_(parts.reader, {}) {}

  grpc::Status GetJobMetrics(grpc::ServerContext* context,
                             const v1::GetJobMetricsRequest* request,
                             v1::GetJobMetricsResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->JobFor(*context, kGet, request->job_id()));
      ASSIGN_OR_RETURN(*response, parts_.pages->Get(job, *request));
      return absl::OkStatus();
    });
  }

  grpc::Status WatchJobMetrics(
      grpc::ServerContext* context, const v1::WatchJobMetricsRequest* request,
      grpc::ServerWriter<v1::WatchJobMetricsResponse>* writer) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->JobFor(*context, kWatch, request->job_id()));
      const auto slot = streams_.TryAcquire();
      if (!slot.acquired()) return MakeError(server_messages::kTooManyStreams);
      std::set<std::string> names(request->names().begin(),
                                  request->names().end());
      if (request->only_findings()) names = {""};  // of no series
      return Watch(*context, job.job_id(), std::move(names), writer);
    });
  }

  grpc::Status QueryPromql(grpc::ServerContext* context,
                           const v1::QueryPromqlRequest* request,
                           v1::QueryPromqlResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<v1::MeasuredJob> jobs,
                       parts_.callers->JobsOf(*context, kQuery));
      const TimeGrid grid{.from_ms = request->from_ms(),
                          .to_ms = request->to_ms(),
                          .step_s = request->step_s()};
      if (grid.from_ms <= 0 || grid.from_ms > grid.to_ms || grid.step_s == 0 ||
          grid.points() > DatabaseReader::kMaxPoints) {
        return MakeError(query_messages::kTimesInvalid,
                         {{"max", DatabaseReader::kMaxPoints}});
      }
      ASSIGN_OR_RETURN(const ParsedPromql query,
                       ParsedPromql::Parse(request->query()));
      if (jobs.empty()) return MakeError(query_messages::kNoJobs);
      const std::vector<std::string> ids = JobsBetween(
          jobs, grid.from_ms - query.reach_ms() - grid.step_s * 1000,
          grid.to_ms);
      ASSIGN_OR_RETURN(
          *response->mutable_answer_json(),
          parts_.reader->QueryRange(query.RestrictedTo(ids), ids, grid));
      return absl::OkStatus();
    });
  }

  grpc::Status QueryPrometheus(grpc::ServerContext* context,
                               const v1::QueryPrometheusRequest* request,
                               v1::QueryPrometheusResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::string user,
                       parts_.callers->NameOf(*context, kPrometheus));
      ASSIGN_OR_RETURN(const std::vector<v1::MeasuredJob> jobs,
                       parts_.callers->JobsOf(*context, kPrometheus));
      ASSIGN_OR_RETURN(*response->mutable_data_json(),
                       prometheus_.Answer(user, jobs, *request));
      return absl::OkStatus();
    });
  }

  grpc::Status ExportJob(grpc::ServerContext* context,
                         const v1::ExportJobRequest* request,
                         v1::ExportJobResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->JobFor(*context, kExport, request->job_id()));
      const auto slot = exports_.TryAcquire();
      if (!slot.acquired()) return MakeError(server_messages::kTooManyExports);
      ASSIGN_OR_RETURN(const archive::v1::JobArchive archive,
                       parts_.pages->WholeJob(job));
      std::vector<ExportedFile> files;
      switch (request->format()) {
        case v1::ExportJobRequest::FORMAT_CSV:
          files = ExportCsv(archive);
          break;
        case v1::ExportJobRequest::FORMAT_GSSR_CSV:
          files = ExportGssr(archive, parts_.export_names);
          break;
        case v1::ExportJobRequest::FORMAT_GSSR_SQLITE: {
          ASSIGN_OR_RETURN(ExportedFile file,
                           ExportGssrDatabase(archive, kMaxExportBytes,
                                              parts_.export_names));
          files.push_back(std::move(file));
          break;
        }
        case v1::ExportJobRequest::FORMAT_CLUSTERCOCKPIT: {
          ASSIGN_OR_RETURN(files,
                           ExportClusterCockpit(archive, parts_.export_names));
          break;
        }
        default:
          return MakeError(query_messages::kFormatInvalid);
      }
      int64_t bytes = 0;
      for (const ExportedFile& file : files) {
        bytes += static_cast<int64_t>(file.content.size());
      }
      if (bytes > kMaxExportBytes) {
        return MakeError(query_messages::kExportTooLarge,
                         {{"mib", kMaxExportBytes >> 20}});
      }
      for (ExportedFile& file : files) {
        v1::ExportJobResponse::File* row = response->add_files();
        row->set_name(std::move(file.name));
        row->set_content(std::move(file.content));
      }
      return absl::OkStatus();
    });
  }

  grpc::Status ListJobFindings(grpc::ServerContext* context,
                               const v1::ListJobFindingsRequest* request,
                               v1::ListJobFindingsResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->JobFor(*context, kFindings, request->job_id()));
      ASSIGN_OR_RETURN(*response, parts_.findings->List(job));
      return absl::OkStatus();
    });
  }

  grpc::Status RateJobFinding(grpc::ServerContext* context,
                              const v1::RateJobFindingRequest* request,
                              v1::RateJobFindingResponse*) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->OwnJobFor(*context, kRate, request->job_id()));
      return parts_.findings->Rate(job, *request);
    });
  }

  grpc::Status GetJobReceipt(grpc::ServerContext* context,
                             const v1::GetJobReceiptRequest* request,
                             v1::GetJobReceiptResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(
          const v1::MeasuredJob job,
          parts_.callers->JobFor(*context, kReceipt, request->job_id()));
      absl::StatusOr<v1::JobReceipt> receipt = parts_.findings->Receipt(job);
      // A job may begin and end between two samples.
      if (absl::IsNotFound(receipt.status())) return absl::OkStatus();
      RETURN_IF_ERROR(receipt.status());
      *response->mutable_receipt() = *std::move(receipt);
      return absl::OkStatus();
    });
  }

  grpc::Status SummarizeJobs(grpc::ServerContext* context,
                             const v1::SummarizeJobsRequest* request,
                             v1::SummarizeJobsResponse* response) override {
    return Answer(context, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<v1::MeasuredJob> jobs,
                       parts_.callers->JobsAmong(*context, kSummarize,
                                                 {request->job_ids().begin(),
                                                  request->job_ids().end()}));
      const auto slot = summaries_.TryAcquire();
      if (!slot.acquired()) {
        return MakeError(server_messages::kTooManySummaries);
      }
      for (const v1::MeasuredJob& job : jobs) {
        if (context->IsCancelled()) break;
        ASSIGN_OR_RETURN(std::optional<v1::JobSummary> summary,
                         parts_.findings->Summary(job));
        if (summary) *response->add_jobs() = *std::move(summary);
      }
      return absl::OkStatus();
    });
  }

 private:
  template <typename Handler>
  grpc::Status Answer(grpc::ServerContext* context, const Handler& handler) {
    // The frontend distinguishes this status from one of the connection.
    context->AddTrailingMetadata(kStatusOriginKey, kStatusOriginBackend);
    return ToGrpc(handler());
  }

  absl::Status Watch(const grpc::ServerContext& context, const std::string& job,
                     std::set<std::string> names,
                     grpc::ServerWriter<v1::WatchJobMetricsResponse>* writer) {
    const auto reader = parts_.live->Subscribe(job, std::move(names));
    const absl::Time begin = absl::Now();
    absl::Time written_at = absl::InfinitePast();
    uint64_t findings_version = 0;  // of which nothing was sent
    while (!context.IsCancelled() && !parts_.jobs->HasEnded(job) &&
           absl::Now() - begin < kMaxStreamTime) {
      v1::WatchJobMetricsResponse message = reader->Wait(kWait);
      auto findings = parts_.findings->FindChanged(job, &findings_version);
      if (findings) *message.mutable_findings() = *std::move(findings);
      if (message.nodes().empty() && !message.has_findings() &&
          absl::Now() - written_at < kHeartbeat) {
        continue;
      }
      if (!writer->Write(message)) break;
      written_at = absl::Now();
    }
    return absl::OkStatus();
  }

  const MetricsServiceParts parts_;
  PrometheusQueries prometheus_;
  ConcurrencyLimiter<int> streams_{kMaxStreams,
                                   ConcurrencyLimiter<int>::kUnlimited};
  ConcurrencyLimiter<int> summaries_{kMaxSummaries,
                                     ConcurrencyLimiter<int>::kUnlimited};
  ConcurrencyLimiter<int> exports_{kMaxExports,
                                   ConcurrencyLimiter<int>::kUnlimited};
};

}  // namespace

std::unique_ptr<grpc::Service> NewMetricsService(
    const MetricsServiceParts& parts) {
  return std::make_unique<MetricsService>(parts);
}

}  // namespace carme::metrics
