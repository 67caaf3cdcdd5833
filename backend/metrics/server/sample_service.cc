#include <grpcpp/server_context.h>

#include "absl/time/clock.h"
#include "backend/metrics/ingest/messages.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/server/caller_certificates.h"
#include "backend/metrics/server/services.h"
#include "carme/v1/samples.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

class SampleService : public v1::SampleService::Service {
 public:
  explicit SampleService(SampleIngest* ingest) : ingest_(ingest) {}

  grpc::Status WriteSamples(grpc::ServerContext* context,
                            const v1::WriteSamplesRequest* request,
                            v1::WriteSamplesResponse* response) override {
    return ToGrpc(Write(*context, *request, response));
  }

 private:
  absl::Status Write(const grpc::ServerContext& context,
                     const v1::WriteSamplesRequest& request,
                     v1::WriteSamplesResponse* response) {
    // The system clock, which the TLS handshake uses, too.
    ASSIGN_OR_RETURN(const MachineIdentity caller,
                     certificates_.MachineOf(context, absl::Now()));
    if (caller.role != MachineRole::kJob) {
      return MakeError(ingest_messages::kNotAJob);
    }
    ASSIGN_OR_RETURN(*response, ingest_->Write(caller.name, request));
    return absl::OkStatus();
  }

  SampleIngest* const ingest_;
  CallerCertificates certificates_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewSampleService(SampleIngest* ingest) {
  return std::make_unique<SampleService>(ingest);
}

}  // namespace carme::metrics
