#include "proxy/telemetry/service_log.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>

#include "carme/v1/log.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

constexpr std::chrono::seconds kLogTimeout{2};

}  // namespace

absl::Status ReportLog(const BackendCallChannel& backend,
                       const v1::ReportLogEntriesRequest& request) {
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel,
                   backend.Channel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kLogTimeout);
  v1::ReportLogEntriesResponse response;
  return FromGrpc(v1::LogService::NewStub(channel)->ReportProxyLog(
      &context, request, &response));
}

}  // namespace carme::proxy
