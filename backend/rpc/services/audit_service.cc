#include <grpcpp/server_context.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/audit/audit_proto.h"
#include "backend/audit/audit_table.h"
#include "backend/audit/verification.h"
#include "backend/identity/session.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/store/database.h"
#include "carme/v1/audit.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kListed = 100;
constexpr int kMaxListed = 500;
// How many entries one call searches for matches of its filter: 200,000.
constexpr int kMaxPieces = 200;
// Concurrent exports and verifications. Each holds a thread until its reader is
// done.
constexpr int kMaxAtOnce = 4;
constexpr size_t kExported = 200;  // entries of one message: about 80 kB

class Place {
 public:
  explicit Place(std::atomic<int>* taken) : taken_(*taken) { ++taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { --taken_; }
  bool fits() const { return taken_ <= kMaxAtOnce; }

 private:
  std::atomic<int>& taken_;
};

PageQuery QueryOf(const v1::ListAuditRequest& request) {
  PageQuery query = PageOf(request, kListed);
  query.max_size = kMaxListed;
  return query;
}

class AuditService : public v1::AuditService::Service {
 public:
  explicit AuditService(const AuditServiceParts& parts) : parts_(parts) {}

  grpc::Status ListAudit(grpc::ServerContext* context,
                         const v1::ListAuditRequest* request,
                         v1::ListAuditResponse* response) override {
    return ToGrpc(Shown(List(*request, response), *context));
  }

  grpc::Status ExportAudit(
      grpc::ServerContext* context, const v1::ExportAuditRequest* request,
      grpc::ServerWriter<v1::ExportAuditResponse>* writer) override {
    const Caller caller = CallerOf(*context);
    const Place place(&busy_);
    const int64_t newest = parts_.audit->Head().sequence;
    absl::Status status =
        place.fits() ? parts_.audit->Ready() : TooManyVerifications();
    const AuditEvent event =
        Outcome(EventOf(*context, caller, "export-audit"), status);
    if (status.ok()) {
      // The export starts only after its audit entry is on disk.
      status = parts_.audit->RecordNow(event);
    } else {
      parts_.audit->Record(event);
    }
    if (status.ok()) {
      status = Export(*request, newest, caller, *context, writer);
    }
    return ToGrpc(Shown(status, *context));
  }

  grpc::Status VerifyAudit(grpc::ServerContext* context,
                           const v1::VerifyAuditRequest* /*request*/,
                           v1::VerifyAuditResponse* response) override {
    const Caller caller = CallerOf(*context);
    const Place place(&busy_);
    const absl::Status status = place.fits()
                                    ? Verify(caller, *context, response)
                                    : TooManyVerifications();
    AuditEvent event =
        Outcome(EventOf(*context, caller, "verify-audit"), status);
    if (status.ok() && !response->good()) {
      event.result = absl::StrCat("broken at ", response->broken_at());
    }
    parts_.audit->Record(event);
    return ToGrpc(Shown(status, *context));
  }

 private:
  static absl::Status TooManyVerifications() {
    return MakeError(rpc_service_messages::kAuditReadersExhausted,
                     {{"max", kMaxAtOnce}});
  }

  // Database errors are logged and not sent.
  static absl::Status Shown(const absl::Status& status,
                            const grpc::ServerContext& context) {
    if (status.ok() || absl::IsInvalidArgument(status) ||
        absl::IsResourceExhausted(status) || absl::IsUnauthenticated(status) ||
        absl::IsCancelled(status)) {
      return status;
    }
    LogError("the audit log cannot be read",
             {{"request", CallerOf(context).request_id},
              {"error", StatusText(status)}});
    return MakeError(rpc_service_messages::kAuditLogUnavailable);
  }

  // Whether the client still waits and is still authorized.
  absl::Status GoOn(const Caller& caller, grpc::ServerContext& context) const {
    if (context.IsCancelled()) return absl::CancelledError("hung up");
    // For sessions and access tokens.
    if (!parts_.sessions->IsLive(caller.session.id)) {
      return MakeError(rpc_service_messages::kAuditCredentialEnded);
    }
    return absl::OkStatus();
  }

  absl::Status List(const v1::ListAuditRequest& request,
                    v1::ListAuditResponse* response) {
    ASSIGN_OR_RETURN(const AuditFilter filter, FilterOf(request.filter()));
    const PageQuery query = QueryOf(request);
    ASSIGN_OR_RETURN(const int size, PageSizeOf(query));
    ASSIGN_OR_RETURN(const int64_t before, PageNumberOf(query));
    AuditPiece piece;
    piece.next = before > 0 ? before : kNewest;
    for (int i = 0; i < kMaxPieces && !piece.last; ++i) {
      const int left = size - response->entries_size();
      if (left == 0) break;
      ASSIGN_OR_RETURN(
          piece, ReadPiece(parts_.database, filter, AuditOrder::kNewestFirst,
                           piece.next, left));
      for (const AuditEntry& entry : piece.entries) {
        Fill(entry, response->add_entries());
      }
    }
    if (!piece.last) {
      response->set_next_page_token(PageTokenOf(piece.next, query.filter));
    }
    return absl::OkStatus();
  }

  // Up to `newest`, so that it ends although the log grows.
  absl::Status Export(const v1::ExportAuditRequest& request, int64_t newest,
                      const Caller& caller, grpc::ServerContext& context,
                      grpc::ServerWriter<v1::ExportAuditResponse>* writer) {
    ASSIGN_OR_RETURN(const AuditFilter filter, FilterOf(request.filter()));
    AuditPiece piece;
    piece.next = kOldest;
    while (!piece.last && piece.next < newest) {
      RETURN_IF_ERROR(GoOn(caller, context));
      ASSIGN_OR_RETURN(
          piece, ReadPiece(parts_.database, filter, AuditOrder::kOldestFirst,
                           piece.next, kExported));
      if (piece.entries.empty()) continue;
      v1::ExportAuditResponse message;
      for (const AuditEntry& entry : piece.entries) {
        Fill(entry, message.add_entries());
      }
      // Waits for the reader, which bounds the memory.
      if (!writer->Write(message)) return absl::CancelledError("hung up");
    }
    return absl::OkStatus();
  }

  // Also compares with the memory of this process: what it has written must be
  // in the table.
  absl::Status Verify(const Caller& caller, grpc::ServerContext& context,
                      v1::VerifyAuditResponse* response) {
    const ChainHead head = parts_.audit->Head();
    ASSIGN_OR_RETURN(
        const AuditVerification verdict,
        carme::backend::VerifyAudit(parts_.database, head.hash,
                                    [&] { return GoOn(caller, context); }));
    response->set_good(verdict.broken_at == 0);
    response->set_entries(verdict.entries);
    response->set_broken_at(verdict.broken_at);
    response->set_head(verdict.head.hash);
    return absl::OkStatus();
  }

  const AuditServiceParts parts_;
  std::atomic<int> busy_ = 0;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAuditService(const AuditServiceParts& parts) {
  return std::make_unique<AuditService>(parts);
}

}  // namespace carme::backend
