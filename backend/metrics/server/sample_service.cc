#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "backend/metrics/server/sample_requests.h"
#include "backend/metrics/server/sample_streams.h"
#include "backend/metrics/server/services.h"
#include "carme/v1/samples.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

// Requests are not parsed by gRPC: SampleRequestView reads their bytes.
using SampleMethods = v1::SampleService::WithRawCallbackMethod_WriteSamples<
    v1::SampleService::WithRawCallbackMethod_StreamSamples<
        v1::SampleService::Service>>;

class SampleService : public SampleMethods {
 public:
  SampleService(SampleIngest* ingest, const SampleServiceLimits& limits)
      : streams_(&requests_, limits), requests_(ingest, limits) {}

  grpc::ServerUnaryReactor* WriteSamples(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    const absl::Status started = Start(context, request, response, reactor);
    if (!started.ok()) reactor->Finish(ToGrpc(started));
    return reactor;
  }

  SampleStreams::Reactor* StreamSamples(
      grpc::CallbackServerContext* context) override {
    return streams_.Open(context);
  }

 private:
  absl::Status Start(grpc::CallbackServerContext* context,
                     const grpc::ByteBuffer* request,
                     grpc::ByteBuffer* response,
                     grpc::ServerUnaryReactor* reactor) {
    ASSIGN_OR_RETURN(const CallerCertificate caller,
                     requests_.CallerOf(*context));
    return requests_.Start(caller, context, request, response,
                           [reactor](const absl::Status& status) {
                             reactor->Finish(ToGrpc(status));
                           });
  }

  SampleStreams streams_;
  SampleRequests requests_;  // last: its threads use the streams
};

}  // namespace

std::unique_ptr<grpc::Service> NewSampleService(
    SampleIngest* ingest, const SampleServiceLimits& limits) {
  return std::make_unique<SampleService>(ingest, limits);
}

}  // namespace carme::metrics
