#include "slurm-hooks/agent/metrics/sample_stream.h"

#include <grpcpp/channel.h>

#include "common/grpc/grpc_status.h"

namespace carme::agent {

SampleStream::SampleStream(const std::shared_ptr<grpc::Channel>& channel)
    : stub_(carme::v1::SampleService::NewStub(channel)) {
  context_.set_wait_for_ready(true);
}

SampleStream::~SampleStream() {
  context_.TryCancel();
  if (stream_ != nullptr && !is_finished_) Finish().IgnoreError();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

bool SampleStream::Await(absl::Time deadline) {
  void* tag = nullptr;
  bool ok = false;
  if (queue_.AsyncNext(&tag, &ok, absl::ToChronoTime(deadline)) ==
      grpc::CompletionQueue::TIMEOUT) {
    is_late_ = true;
    context_.TryCancel();
    queue_.Next(&tag, &ok);
  }
  return ok && !is_late_;
}

absl::Status SampleStream::Finish() {
  is_finished_ = true;
  grpc::Status status;
  stream_->Finish(&status, this);
  Await(absl::InfiniteFuture());
  if (is_late_) {
    return absl::DeadlineExceededError("carme-metrics has not answered");
  }
  if (status.ok()) {
    return absl::UnavailableError("carme-metrics has ended the stream");
  }
  return FromGrpc(status);
}

absl::StatusOr<carme::v1::WriteSamplesResponse> SampleStream::Send(
    const carme::v1::WriteSamplesRequest& request, absl::Time deadline) {
  if (stream_ == nullptr) {
    stream_ = stub_->AsyncStreamSamples(&context_, &queue_, this);
    if (!Await(deadline)) return Finish();
  }
  stream_->Write(request, this);
  if (!Await(deadline)) return Finish();
  carme::v1::WriteSamplesResponse response;
  stream_->Read(&response, this);
  if (!Await(deadline)) return Finish();
  is_used_ = true;
  return response;
}

}  // namespace carme::agent
