#include "backend/rpc/job_logs/job_log_service.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/messages.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/log_text.h"
#include "backend/rpc/job_logs/messages.h"
#include "backend/rpc/server/dispatched_stream.h"
#include "carme/v1/job_log.grpc.pb.h"
#include "common/clock.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

using Response = v1::FollowLogResponse;

constexpr absl::Duration kHeartbeat = absl::Seconds(10);  // job_log.proto: 15
constexpr int64_t kPieceBytes = 64 * 1024;
constexpr int64_t kMaxBehindBytes = 1024 * 1024;  // job_log.proto
// Between two reads while there is more text than one read returns.
constexpr absl::Duration kBehindPeriod = absl::Milliseconds(250);
// A log that has not grown for a time is read after this fraction of it.
constexpr int kQuietFraction = 10;

// Text that continues other text begins with a character. Its last one, if it
// is not complete, is left for the next read; so that this ends, the log of an
// ended job is sent as it is.
LogText Continuing(LogText log, bool has_job_ended) {
  const size_t behind = CutOffBehind(log.text);
  const bool is_all = behind == log.text.size();
  if (is_all && has_job_ended) return log;
  log.text.resize(log.text.size() - behind);
  return log;
}

class LogUpdateSource : public StreamSource<Response> {
 public:
  LogUpdateSource(const JobLogServiceParts& parts,
                  std::shared_ptr<LogReads> reads,
                  std::unique_ptr<LogReads::Slot> slot, FollowedLog log,
                  int64_t offset, StreamDispatcher::Wake wake)
      : parts_(parts),
        reads_(std::move(reads)),
        slot_(std::move(slot)),
        log_(std::move(log)),
        wake_(std::move(wake)),
        read_at_(offset),
        next_(offset) {}
  // May run after the service was destroyed.
  ~LogUpdateSource() override {
    if (read_ != nullptr) read_->Abandon();
  }

  absl::Status Check() override {
    if (parts_.clock->Now() < log_.caller.expires_at &&
        parts_.sessions->IsLive(log_.caller.id)) {
      return absl::OkStatus();
    }
    return MakeError(rpc_job_log_messages::kSessionEnded);
  }

  absl::StatusOr<bool> Next(bool heartbeat, Response* message) override {
    bool is_new = false;
    if (read_ != nullptr) {
      std::optional<absl::StatusOr<LogReading>> result = read_->result();
      if (result) {
        read_.reset();
        RETURN_IF_ERROR(result->status());
        is_new = Take(**result, message);
      } else if (absl::Now() - read_->started_at() > parts_.max_read ||
                 absl::Now() - requested_at_ > parts_.max_wait) {
        // The page must not say that it follows the log.
        return MakeError(rpc_job_log_messages::kNotRead);
      }
    }
    if (!is_complete_ && read_ == nullptr && absl::Now() >= due_) {
      read_ = reads_->Request(log_, read_at_, wake_);
      requested_at_ = absl::Now();
    }
    reads_->StartAllowed();
    return is_new || heartbeat;
  }

  bool IsComplete() override { return is_complete_; }

 private:
  // Fills the message if there is something new.
  bool Take(const LogReading& reading, Response* message) {
    // What was sent stays, also if the log is removed.
    if (!reading.exists && next_ > 0) {
      is_complete_ = reading.has_job_ended;
      message->set_complete(is_complete_);
      Schedule(false);
      return is_complete_;
    }
    const bool continues = next_ >= 0 && reading.text.offset == next_;
    const LogText text = continues
                             ? Continuing(reading.text, reading.has_job_ended)
                             : WholeCharacters(reading.text);
    const bool has_grown = !text.text.empty();
    const bool is_new =
        !begun_ || !continues || has_grown || text.size != size_;
    begun_ = true;
    next_ = text.offset + static_cast<int64_t>(text.text.size());
    size_ = text.size;
    is_complete_ = reading.has_job_ended && next_ >= size_;
    Schedule(has_grown);
    if (is_new) FillLogText(text, message->mutable_part());
    message->set_complete(is_complete_);
    return is_new || is_complete_;
  }

  void Schedule(bool has_grown) {
    const absl::Time now = absl::Now();
    if (has_grown) grown_at_ = now;
    const absl::Duration quiet = (now - grown_at_) / kQuietFraction;
    due_ =
        now + (has_grown && next_ < size_
                   ? kBehindPeriod
                   : std::clamp(quiet, parts_.min_period, parts_.max_period));
    read_at_ = size_ - next_ > kMaxBehindBytes ? -kPieceBytes : next_;
  }

  const JobLogServiceParts parts_;
  const std::shared_ptr<LogReads> reads_;
  const std::unique_ptr<LogReads::Slot> slot_;
  const FollowedLog log_;
  const StreamDispatcher::Wake wake_;
  std::shared_ptr<LogRead> read_;  // null: none is running or waiting
  absl::Time requested_at_ = absl::InfinitePast();
  absl::Time due_ = absl::InfinitePast();
  absl::Time grown_at_ = absl::Now();
  int64_t read_at_;  // the offset of the next read
  int64_t next_;     // of the text after what was sent; negative: not known
  int64_t size_ = 0;
  bool begun_ = false;
  bool is_complete_ = false;
};

using Base =
    v1::JobLogService::WithCallbackMethod_FollowLog<v1::JobLogService::Service>;

class JobLogService : public Base {
 public:
  explicit JobLogService(const JobLogServiceParts& parts)
      : parts_(parts),
        reads_(std::make_shared<LogReads>(parts.jobs, parts.limits)) {}

  using Base::FollowLog;
  grpc::ServerWriteReactor<Response>* FollowLog(
      grpc::CallbackServerContext* context,
      const v1::FollowLogRequest* request) override {
    const Caller caller = CallerOf(*context);
    const absl::Status valid = Check(*request);
    if (!valid.ok()) return new RefusedStream<Response>(valid);
    absl::StatusOr<std::unique_ptr<LogReads::Slot>> slot =
        reads_->Admit(caller.session.username);
    if (!slot.ok()) return new RefusedStream<Response>(slot.status());
    FollowedLog log{.caller = caller.session,
                    .job = JobId(request->job_id()),
                    .app = request->app(),
                    .request_id = caller.request_id};
    if (request->has_task()) log.task = request->task();
    return OpenStream<Response>(parts_.dispatcher, context, kHeartbeat,
                                [&](const StreamDispatcher::Wake& wake) {
                                  return std::make_unique<LogUpdateSource>(
                                      parts_, reads_, *std::move(slot),
                                      std::move(log), request->offset_bytes(),
                                      wake);
                                });
  }

 private:
  // What does not depend on the caller: nothing that was not checked is kept.
  absl::Status Check(const v1::FollowLogRequest& request) const {
    if (!IsJobId(request.job_id())) return MakeError(job_messages::kNotYours);
    if (!request.app().empty() &&
        parts_.jobs->config().FindApp(request.app()) == nullptr) {
      return MakeError(job_messages::kUnknownApp);
    }
    return absl::OkStatus();
  }

  const JobLogServiceParts parts_;
  const std::shared_ptr<LogReads> reads_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewJobLogService(
    const JobLogServiceParts& parts) {
  return std::make_unique<JobLogService>(parts);
}

}  // namespace carme::backend
