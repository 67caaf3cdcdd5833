#include "backend/metrics/server/sample_requests.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string_view>
#include <utility>

#include "absl/time/clock.h"
#include "backend/metrics/ingest/messages.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {

SampleRequests::SampleRequests(SampleIngest* ingest,
                               const SampleServiceLimits& limits)
    : ingest_(ingest),
      requests_(ConcurrencyLimiter<std::string>::kUnlimited,
                limits.requests_per_job),
      pool_(limits.threads, limits.max_waiting) {}

absl::StatusOr<CallerCertificate> SampleRequests::CallerOf(
    const grpc::ServerContextBase& context) {
  ASSIGN_OR_RETURN(CallerCertificate caller, certificates_.Of(context));
  if (caller.identity.role == MachineRole::kJob) return caller;
  return MakeError(ingest_messages::kNotAJob);
}

absl::Status SampleRequests::Start(
    const CallerCertificate& caller, const grpc::ServerContextBase* context,
    const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
    std::function<void(const absl::Status&)> done) {
  // std::function copies what it holds.
  const auto slot =
      std::make_shared<Slot>(requests_.TryAcquire(caller.identity.name));
  if (!slot->acquired()) return MakeError(ingest_messages::kBusy);
  const bool taken = pool_.Add(
      [this, caller, context, request, response, slot, done = std::move(done)] {
        const absl::Status status = Write(caller, *context, *request, response);
        // The next request of the job may come before `done` returns.
        slot->Release();
        done(status);
      });
  return taken ? absl::OkStatus() : MakeError(ingest_messages::kBusy);
}

absl::Status SampleRequests::Write(const CallerCertificate& caller,
                                   const grpc::ServerContextBase& context,
                                   const grpc::ByteBuffer& request,
                                   grpc::ByteBuffer* response) const {
  if (context.IsCancelled()) {
    return absl::CancelledError("the client has ended the call");
  }
  // The system clock, which the TLS handshake uses, too.
  RETURN_IF_ERROR(caller.CheckTime(absl::Now()));
  grpc::Slice bytes;
  if (!request.TrySingleSlice(&bytes).ok()) {
    RETURN_IF_ERROR(FromGrpc(request.DumpToSingleSlice(&bytes)));
  }
  ASSIGN_OR_RETURN(
      const v1::WriteSamplesResponse written,
      ingest_->Write(
          caller.identity.name,
          std::string_view(reinterpret_cast<const char*>(bytes.begin()),
                           bytes.size())));
  const grpc::Slice encoded(written.SerializeAsString());
  *response = grpc::ByteBuffer(&encoded, 1);
  return absl::OkStatus();
}

}  // namespace carme::metrics
