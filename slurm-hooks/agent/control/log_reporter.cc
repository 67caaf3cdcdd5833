#include "slurm-hooks/agent/control/log_reporter.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/time/clock.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/request_digest.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/munge_credential.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kLogCallTimeout = absl::Seconds(3);
constexpr absl::Duration kBetweenLogRetries = absl::Minutes(1);

// One call with a new credential.
template <typename Request, typename Response>
absl::StatusOr<Response> Call(
    BackendConnection* connection, const char* method,
    grpc::Status (carme::v1::AgentService::Stub::*call)(grpc::ClientContext*,
                                                        const Request&,
                                                        Response*),
    Request request, absl::Duration timeout) {
  request.clear_munge();
  ASSIGN_OR_RETURN(std::string credential,
                   EncodeCredential(RequestDigest(method, request)));
  request.set_munge(std::move(credential));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  context.set_wait_for_ready(true);
  Response response;
  const auto stub = carme::v1::AgentService::NewStub(connection->Get());
  RETURN_IF_ERROR(FromGrpc((stub.get()->*call)(&context, request, &response)));
  return response;
}

}  // namespace

absl::Status SendLogReport(BackendConnection* connection,
                           carme::v1::ReportLogRequest request,
                           absl::Duration timeout) {
  return Call(connection, "/carme.v1.AgentService/ReportLog",
              &carme::v1::AgentService::Stub::ReportLog, std::move(request),
              timeout)
      .status();
}

absl::Status SendVetRun(BackendConnection* connection,
                        carme::v1::ReportVetRunRequest request,
                        absl::Duration timeout) {
  return Call(connection, "/carme.v1.AgentService/ReportVetRun",
              &carme::v1::AgentService::Stub::ReportVetRun, std::move(request),
              timeout)
      .status();
}

absl::StatusOr<bool> IsVetRequested(BackendConnection* connection,
                                    const std::string& node,
                                    absl::Duration timeout) {
  carme::v1::GetVetRequestRequest request;
  request.set_node(node);
  ASSIGN_OR_RETURN(const carme::v1::GetVetRequestResponse response,
                   Call(connection, "/carme.v1.AgentService/GetVetRequest",
                        &carme::v1::AgentService::Stub::GetVetRequest,
                        std::move(request), timeout));
  return response.is_requested();
}

absl::StatusOr<std::unique_ptr<ServiceLogReporter>> ReportAgentLog(
    BackendAddress backend, SlurmJobId job, std::string request_id) {
  ASSIGN_OR_RETURN(std::shared_ptr<BackendConnection> connection,
                   BackendConnection::Open(std::move(backend)));
  const auto send = [connection, job, request_id = std::move(request_id)](
                        const carme::v1::ReportLogEntriesRequest& entries) {
    carme::v1::ReportLogRequest request;
    request.set_slurm_job_id(job.value());
    request.set_request_id(request_id);
    for (const carme::v1::ReportedLogEntry& entry : entries.entries()) {
      carme::v1::ReportedLogLine* const line = request.add_lines();
      line->set_severity(entry.severity());
      line->set_message(entry.message());
    }
    request.set_dropped(entries.dropped());
    return SendLogReport(connection.get(), std::move(request), kLogCallTimeout);
  };
  return std::make_unique<ServiceLogReporter>(
      send, ServiceLogReporter::Pace{.between_retries = kBetweenLogRetries});
}

}  // namespace carme::agent
