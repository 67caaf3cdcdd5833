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

}  // namespace

absl::Status SendLogReport(BackendConnection* connection,
                           carme::v1::ReportLogRequest request,
                           absl::Duration timeout) {
  request.clear_munge();
  ASSIGN_OR_RETURN(std::string credential,
                   EncodeCredential(RequestDigest(
                       "/carme.v1.AgentService/ReportLog", request)));
  request.set_munge(std::move(credential));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  context.set_wait_for_ready(true);
  carme::v1::ReportLogResponse response;
  return FromGrpc(carme::v1::AgentService::NewStub(connection->Get())
                      ->ReportLog(&context, request, &response));
}

absl::Status SendVetRun(BackendConnection* connection,
                        carme::v1::ReportVetRunRequest request,
                        absl::Duration timeout) {
  request.clear_munge();
  ASSIGN_OR_RETURN(std::string credential,
                   EncodeCredential(RequestDigest(
                       "/carme.v1.AgentService/ReportVetRun", request)));
  request.set_munge(std::move(credential));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  context.set_wait_for_ready(true);
  carme::v1::ReportVetRunResponse response;
  return FromGrpc(carme::v1::AgentService::NewStub(connection->Get())
                      ->ReportVetRun(&context, request, &response));
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
