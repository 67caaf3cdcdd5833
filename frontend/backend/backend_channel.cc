#include "frontend/backend/backend_channel.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>

#include "absl/time/clock.h"
#include "carme/v1/log.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "frontend/backend/backend_client.h"
#include "frontend/backend/backend_failure.h"
#include "frontend/backend/messages.h"

namespace carme::frontend {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskEvery{500};
constexpr absl::Duration kLogTimeout = absl::Seconds(5);

void Prepare(const BackendCall& call, grpc::ClientContext* context) {
  for (const auto& [name, value] : call.metadata) {
    context->AddMetadata(name, value);
  }
  context->set_deadline(absl::ToChronoTime(call.deadline));
}

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string FromBuffer(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// Waits for the one pending operation. Returns whether it succeeded.
bool Await(grpc::CompletionQueue* queue, grpc::ClientContext* context,
           const std::function<bool()>& ended) {
  void* tag = nullptr;
  bool ok = false;
  bool cancelled = false;
  while (queue->AsyncNext(&tag, &ok,
                          std::chrono::system_clock::now() + kAskEvery) ==
         grpc::CompletionQueue::TIMEOUT) {
    if (!cancelled && ended()) {
      context->TryCancel();
      cancelled = true;
    }
  }
  return ok;
}

}  // namespace

BackendChannel::BackendChannel(BackendClient* link) : link_(link) {}

bool BackendChannel::connected() const { return link_->connected(); }

absl::StatusOr<std::string> BackendChannel::Call(const BackendCall& call,
                                                 const std::string& request) {
  link_->Await(call.deadline);
  grpc::ClientContext context;
  Prepare(call, &context);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(link_->channel());
  const auto reader =
      stub.PrepareUnaryCall(&context, call.method, ToBuffer(request), &queue);
  reader->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  reader->Finish(&response, &status, nullptr);
  Await(&queue, &context, [] { return false; });
  if (status.ok()) return FromBuffer(response);
  return BackendFailure(status, context, call.method, call.request_id);
}

absl::Status BackendChannel::Stream(
    const BackendCall& call, const std::string& request,
    const std::function<bool(const std::string&)>& on_message,
    const std::function<bool()>& ended) {
  link_->Await(call.deadline);
  const int era = link_->era();
  const auto over = [&] { return ended() || link_->era() != era; };
  grpc::ClientContext context;
  Prepare(call, &context);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(link_->channel());
  const auto stream = stub.PrepareCall(&context, call.method, &queue);
  stream->StartCall(nullptr);
  bool going = Await(&queue, &context, over);
  if (going) {
    stream->WriteLast(ToBuffer(request), grpc::WriteOptions(), nullptr);
    going = Await(&queue, &context, over);
  }
  while (going) {
    grpc::ByteBuffer message;
    stream->Read(&message, nullptr);
    going = Await(&queue, &context, over);
    if (going && (!on_message(FromBuffer(message)) || over())) {
      context.TryCancel();
      going = false;
    }
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  Await(&queue, &context, over);
  if (status.ok()) return absl::OkStatus();
  if (link_->era() != era) {
    return MakeError(backend_connection_messages::kReplaced);
  }
  return BackendFailure(status, context, call.method, call.request_id);
}

absl::Status BackendChannel::ReportLog(
    const v1::ReportLogEntriesRequest& request) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kLogTimeout));
  v1::ReportLogEntriesResponse response;
  return FromGrpc(v1::LogService::NewStub(link_->channel())
                      ->ReportFrontendLog(&context, request, &response));
}

}  // namespace carme::frontend
