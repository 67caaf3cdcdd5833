#include <grpcpp/server_context.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/logs/reported_entry.h"
#include "backend/logs/service_log.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/log.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/service_log/service_log_reporter.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kListedLogEntries = 100;
constexpr int kMaxListedLogEntries = 500;
constexpr size_t kMaxFilterBytes = 255;
constexpr int64_t kMaxTimestampSeconds = 253402300799;

absl::StatusOr<absl::Time> LogTimeOf(const char* field,
                                     const google::protobuf::Timestamp& time) {
  if (time.seconds() < 0 || time.seconds() > kMaxTimestampSeconds ||
      time.nanos() < 0 || time.nanos() > 999'999'999) {
    return MakeError(rpc_service_messages::kLogTimeInvalid, {{"field", field}});
  }
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

absl::StatusOr<LogQuery> LogQueryOf(const v1::LogFilter& filter) {
  LogQuery query{.node = filter.node(),
                 .service = filter.service(),
                 .request_id = filter.request_id(),
                 .min_severity = filter.min_severity()};
  if (query.min_severity == v1::LOG_SEVERITY_UNSPECIFIED &&
      query.request_id.empty()) {
    query.min_severity = v1::LOG_SEVERITY_WARNING;
  }
  if (!absl::SimpleAtoi(filter.job(), &query.slurm_job_id) ||
      query.slurm_job_id == 0) {
    query.slurm_job_id = 0;
    query.job_id = filter.job();
  }
  for (const std::string* text : {&filter.job(), &filter.node(),
                                  &filter.service(), &filter.request_id()}) {
    if (text->size() <= kMaxFilterBytes) continue;
    return MakeError(rpc_service_messages::kLogFilterTooLong,
                     {{"max", kMaxFilterBytes}});
  }
  if (filter.has_since()) {
    ASSIGN_OR_RETURN(query.since, LogTimeOf("since", filter.since()));
  }
  if (filter.has_until()) {
    ASSIGN_OR_RETURN(query.until, LogTimeOf("until", filter.until()));
  }
  return query;
}

void FillEntry(const LogRow& row, v1::LogEntry* entry) {
  entry->set_sequence(row.sequence);
  Fill(row.at, entry->mutable_at());
  entry->set_severity(row.severity);
  entry->set_service(row.service);
  entry->set_node(row.node);
  entry->set_job_id(row.job_id);
  entry->set_slurm_job_id(row.slurm_job_id);
  entry->set_user(row.user);
  entry->set_request_id(row.request_id);
  entry->set_message(row.message);
}

class LogService : public v1::LogService::Service {
 public:
  explicit LogService(ServiceLog* logs) : logs_(*logs) {}

  grpc::Status ListLogEntries(grpc::ServerContext* context,
                              const v1::ListLogEntriesRequest* request,
                              v1::ListLogEntriesResponse* response) override {
    const absl::Status status = List(*request, response);
    return ToGrpc(status.ok()
                      ? status
                      : ClientError(status, CallerOf(*context), "service log"));
  }

  grpc::Status ReportFrontendLog(grpc::ServerContext* context,
                                 const v1::ReportLogEntriesRequest* request,
                                 v1::ReportLogEntriesResponse*) override {
    return ToGrpc(Add(*request, "carme-frontend", PeerAddress(*context)));
  }

  grpc::Status ReportProxyLog(grpc::ServerContext* context,
                              const v1::ReportLogEntriesRequest* request,
                              v1::ReportLogEntriesResponse*) override {
    return ToGrpc(Add(*request, "carme-proxy", PeerAddress(*context)));
  }

 private:
  // The sender decides neither service nor node nor source, so that it can
  // exceed no budget but its own.
  absl::Status Add(const v1::ReportLogEntriesRequest& request,
                   const char* service, const std::string& peer) {
    if (request.entries_size() > kMaxReportedLogEntries) {
      return MakeError(rpc_service_messages::kTooManyLogEntries,
                       {{"entries", request.entries_size()},
                        {"max", kMaxReportedLogEntries}});
    }
    const LogRow of_sender{
        .source = absl::StrCat("service:", service, ":", peer),
        .service = service,
        .node = peer};
    for (const v1::ReportedLogEntry& entry : request.entries()) {
      LogRow row = LogRowOf(entry);
      row.source = of_sender.source;
      row.service = of_sender.service;
      row.node = of_sender.node;
      logs_.Append(std::move(row));
    }
    logs_.CountDropped(of_sender, request.dropped());
    return absl::OkStatus();
  }

  absl::Status List(const v1::ListLogEntriesRequest& request,
                    v1::ListLogEntriesResponse* response) {
    ASSIGN_OR_RETURN(const LogQuery filter, LogQueryOf(request.filter()));
    PageQuery query = PageOf(request, kListedLogEntries);
    query.max_size = kMaxListedLogEntries;
    ASSIGN_OR_RETURN(const int size, PageSizeOf(query));
    ASSIGN_OR_RETURN(const int64_t before, PageNumberOf(query));
    // One more shows whether there is a further page.
    ASSIGN_OR_RETURN(const std::vector<LogRow> rows,
                     logs_.Read(filter, before, size + 1));
    const size_t shown = std::min(rows.size(), static_cast<size_t>(size));
    for (size_t i = 0; i < shown; ++i) {
      FillEntry(rows[i], response->add_entries());
    }
    if (rows.size() > shown) {
      response->set_next_page_token(
          PageTokenOf(rows[shown - 1].sequence, query.filter));
    }
    return absl::OkStatus();
  }

  ServiceLog& logs_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewLogService(ServiceLog* logs) {
  return std::make_unique<LogService>(logs);
}

}  // namespace carme::backend
