// A stream of samples to carme-metrics (SampleService.StreamSamples).
#ifndef CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_STREAM_H_
#define CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_STREAM_H_

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/samples.grpc.pb.h"

namespace carme::agent {

// Used by one thread, except Cancel().
class SampleStream {
 public:
  explicit SampleStream(const std::shared_ptr<grpc::Channel>& channel);
  // Cancels the stream.
  ~SampleStream();
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;

  // Sends a request and waits for its response, also for a connection. Any
  // error ends the stream, and the object must not be used again; the server
  // may have stored the samples. DEADLINE_EXCEEDED: no response in time.
  absl::StatusOr<carme::v1::WriteSamplesResponse> Send(
      const carme::v1::WriteSamplesRequest& request, absl::Time deadline);
  // Whether a request was answered.
  bool is_used() const { return is_used_; }
  // Makes Send() return at once. Thread-safe.
  void Cancel() { context_.TryCancel(); }

 private:
  // Waits for the operation that was started; false: it failed.
  bool Await(absl::Time deadline);
  absl::Status Finish();

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<carme::v1::SampleService::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<
      carme::v1::WriteSamplesRequest, carme::v1::WriteSamplesResponse>>
      stream_;  // null: not opened
  bool is_used_ = false;
  bool is_late_ = false;
  bool is_finished_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_STREAM_H_
