#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/history/csv.h"
#include "backend/history/history.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/history_proto.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/history.grpc.pb.h"
#include "common/clock.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kUsualPage = 50;
constexpr int kLargestPage = 200;
constexpr int kExported = 1000;
constexpr absl::Duration kUsualTime = absl::Hours(24 * 30);
constexpr size_t kMaxSubjectBytes = 64;

class HistoryService : public v1::HistoryService::Service {
 public:
  HistoryService(History* history, AuditLog* audit, const Clock* clock)
      : history_(*history), audit_(audit), clock_(*clock) {}

  grpc::Status ListHistory(grpc::ServerContext* context,
                           const v1::ListHistoryRequest* request,
                           v1::ListHistoryResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<int> size =
        PageSizeOf({.page_size = request->page_size(),
                    .default_size = kUsualPage,
                    .max_size = kLargestPage});
    if (!size.ok()) return ToGrpc(size.status());
    const absl::StatusOr<HistoryPage> page =
        PageOf(caller, request->filter(), request->page_token(), *size);
    if (!page.ok())
      return ToGrpc(ClientError(page.status(), caller, "the history"));
    for (const HistoryEntry& entry : page->entries) {
      Fill(entry, response->add_jobs());
    }
    response->set_next_page_token(TokenOf(page->next));
    Fill(history_.accounting(), response->mutable_accounting());
    response->set_retention_days(history_.config().retention_days);
    return grpc::Status::OK;
  }

  grpc::Status ExportHistory(grpc::ServerContext* context,
                             const v1::ExportHistoryRequest* request,
                             v1::ExportHistoryResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<HistoryPage> page =
        PageOf(caller, request->filter(), request->page_token(), kExported);
    // Exports of other users' jobs are audited.
    if (ScopeOf(request->filter().scope()) != v1::HISTORY_SCOPE_MINE) {
      AuditEvent event =
          Outcome(EventOf(*context, caller, "history-export"), page.status());
      event.subject = SubjectOf(request->filter());
      const absl::Status noted = RecordChange(audit_, event);
      if (!noted.ok()) return ToGrpc(noted);
    }
    if (!page.ok())
      return ToGrpc(ClientError(page.status(), caller, "the history"));
    std::string csv;
    if (request->page_token().empty()) csv = CsvHeader();
    for (const HistoryEntry& entry : page->entries) csv += CsvRow(entry);
    response->set_csv(std::move(csv));
    response->set_next_page_token(TokenOf(page->next));
    return grpc::Status::OK;
  }

  grpc::Status GetUsage(grpc::ServerContext* context,
                        const v1::GetUsageRequest* request,
                        v1::GetUsageResponse* response) override {
    const Caller caller = CallerOf(*context);
    if (!v1::UsageBy_IsValid(request->by())) {
      return ToGrpc(MakeError(rpc_service_messages::kHistoryGroupingInvalid));
    }
    UsageQuery query{.whose = ScopeOf(request->scope()),
                     .project = request->project(),
                     .to = clock_.Now(),
                     .by = request->by() == v1::USAGE_BY_UNSPECIFIED
                               ? v1::USAGE_BY_USER
                               : request->by()};
    if (request->has_to()) {
      query.to = std::min(query.to, TimeOf(request->to()));
    }
    query.from =
        request->has_from() ? TimeOf(request->from()) : query.to - kUsualTime;
    const absl::StatusOr<std::vector<UsageSum>> sums =
        history_.Usage(ReaderOf(caller), query);
    if (!sums.ok())
      return ToGrpc(ClientError(sums.status(), caller, "the history"));
    for (const UsageSum& sum : *sums) Fill(sum, response->add_rows());
    const absl::Status added = AddSteps(caller, *request, query, response);
    if (!added.ok()) return ToGrpc(ClientError(added, caller, "the history"));
    Fill(history_.accounting(), response->mutable_accounting());
    carme::backend::Fill(query.from, response->mutable_from());
    carme::backend::Fill(query.to, response->mutable_to());
    return grpc::Status::OK;
  }

 private:
  absl::Status AddSteps(const Caller& caller,
                        const v1::GetUsageRequest& request,
                        const UsageQuery& whole,
                        v1::GetUsageResponse* response) {
    std::vector<absl::Time> starts;
    for (const auto& start : request.step_starts()) {
      starts.push_back(TimeOf(start));
    }
    ASSIGN_OR_RETURN(const std::vector<UsageQuery> steps,
                     History::UsageSteps(whole, starts));
    for (const UsageQuery& query : steps) {
      v1::UsageStep* step = response->add_steps();
      if (query.from >= query.to) continue;
      ASSIGN_OR_RETURN(const std::vector<UsageSum> sums,
                       history_.Usage(ReaderOf(caller), query));
      for (const UsageSum& sum : sums) Fill(sum, step->add_rows());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<HistoryPage> PageOf(const Caller& caller,
                                     const v1::HistoryFilter& message,
                                     const std::string& token, int max) {
    const absl::StatusOr<HistoryFilter> filter = FilterOf(message);
    if (!filter.ok()) return filter.status();
    const absl::StatusOr<std::optional<HistoryPlace>> from = PlaceOf(token);
    if (!from.ok()) return from.status();
    return history_.Page(ReaderOf(caller), *filter, max, *from);
  }

  static Session ReaderOf(const Caller& caller) {
    Session reader = caller.session;
    reader.role = ReadingRole(reader, {"admin:read"});
    return reader;
  }

  static std::string SubjectOf(const v1::HistoryFilter& filter) {
    if (filter.scope() == v1::HISTORY_SCOPE_EVERYBODY) return "everybody";
    return Readable(filter.project(), kMaxSubjectBytes);
  }

  History& history_;
  AuditLog* const audit_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewHistoryService(History* history,
                                                 AuditLog* audit,
                                                 const Clock* clock) {
  return std::make_unique<HistoryService>(history, audit, clock);
}

}  // namespace carme::backend
