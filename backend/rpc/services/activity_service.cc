#include <algorithm>
#include <memory>
#include <string>

#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/activity.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr int kMaxRows = 1000;
constexpr NameRule kInstanceRule{.characters = kBase64UrlCharacters,
                                 .max_bytes = 32};
constexpr uint32_t kMaxConnections = 1'000'000;

// A compromised proxy must not overflow a sum.
uint64_t Bytes(uint64_t reported) {
  return std::min(reported, uint64_t{1} << 56);
}

ProxyActivity SawOf(const v1::JobActivity& row) {
  return {.connections =
              static_cast<int>(std::min(row.connections(), kMaxConnections)),
          .received_bytes = Bytes(row.received_bytes()),
          .sent_bytes = Bytes(row.sent_bytes())};
}

class ActivityService : public v1::ActivityService::Service {
 public:
  explicit ActivityService(IdleMonitor* idle) : idle_(idle) {}

  grpc::Status ReportActivity(
      grpc::ServerContext* /*context*/,
      const v1::ReportActivityRequest* request,
      v1::ReportActivityResponse* /*response*/) override {
    if (!kInstanceRule.Allows(request->instance()) ||
        request->jobs_size() > kMaxRows) {
      return ToGrpc(MakeError(rpc_service_messages::kActivityReportInvalid));
    }
    for (const v1::JobActivity& row : request->jobs()) {
      if (!IsJobId(row.job_id())) continue;
      idle_->OnProxyActivity(JobId(row.job_id()), request->instance(),
                             SawOf(row));
    }
    return grpc::Status::OK;
  }

 private:
  IdleMonitor* const idle_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewActivityService(IdleMonitor* idle) {
  return std::make_unique<ActivityService>(idle);
}

}  // namespace carme::backend
