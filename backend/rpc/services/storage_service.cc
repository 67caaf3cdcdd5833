#include <grpcpp/server_context.h>

#include <memory>

#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/storage/storage_cache.h"
#include "carme/v1/storage.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

void Fill(const StorageAmount& amount, v1::Amount* row) {
  row->set_used(amount.used);
  row->set_soft_limit(amount.soft_limit);
  row->set_limit(amount.limit);
}

void Fill(const StorageArea& area, v1::StorageArea* row) {
  row->set_name(area.name);
  row->set_path(area.path);
  row->set_shared(area.shared);
  row->set_problem(area.problem);
  if (!area.problem.empty()) return;
  Fill(area.bytes, row->mutable_bytes());
  const StorageAmount& files = area.files;
  if (files.used != 0 || files.soft_limit != 0 || files.limit != 0) {
    Fill(files, row->mutable_files());
  }
  if (area.grace_ends) {
    carme::backend::Fill(*area.grace_ends, row->mutable_grace_ends());
  }
}

// The reader's messages name sockets and processes.
absl::Status Shown(const absl::Status& status, const Caller& caller) {
  if (absl::IsResourceExhausted(status)) return status;
  LogWarning("reading the storage usage failed",
             {{"request", caller.request_id}, {"error", StatusText(status)}});
  return MakeError(rpc_service_messages::kStorageUsageUnavailable);
}

class StorageService : public v1::StorageService::Service {
 public:
  explicit StorageService(StorageCache* readings) : readings_(*readings) {}

  grpc::Status GetStorage(grpc::ServerContext* context,
                          const v1::GetStorageRequest* /*request*/,
                          v1::GetStorageResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<StorageReading> reading = readings_.Get(
        {caller.session.username, caller.session.uid}, caller.request_id);
    if (!reading.ok()) return ToGrpc(Shown(reading.status(), caller));
    for (const StorageArea& area : reading->areas) {
      Fill(area, response->add_areas());
    }
    carme::backend::Fill(reading->read_at, response->mutable_read_at());
    return grpc::Status::OK;
  }

 private:
  StorageCache& readings_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewStorageService(StorageCache* readings) {
  return std::make_unique<StorageService>(readings);
}

}  // namespace carme::backend
