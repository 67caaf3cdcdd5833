#include "slurm-hooks/agent/control/log_reporter.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/concurrency/background_thread.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/request_digest.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/munge_credential.h"

namespace carme::agent {
namespace {

constexpr int kMaxWaitingLines = 100;
constexpr size_t kMaxSentLineBytes = 1000;
constexpr absl::Duration kLogCallTimeout = absl::Seconds(3);
constexpr absl::Duration kBetweenLogReports = absl::Seconds(2);
// While the backend does not respond.
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

struct LogReporter::State {
  // Returns the time until the next call.
  absl::Duration Send();
  void Add(LogLevel level, std::string_view event, LogFields fields);

  std::unique_ptr<BackendConnection> connection;
  SlurmJobId job;
  std::string request_id;
  absl::Time next_at = absl::InfinitePast();  // used by the thread only
  absl::Mutex mutex;
  carme::v1::ReportLogRequest waiting ABSL_GUARDED_BY(mutex);
  BackgroundThread thread;  // last: uses the other members
};

void LogReporter::State::Add(LogLevel level, std::string_view event,
                             LogFields fields) {
  const absl::MutexLock lock(&mutex);
  if (waiting.lines_size() >= kMaxWaitingLines) {
    waiting.set_dropped(waiting.dropped() + 1);
    return;
  }
  carme::v1::ReportedLogLine* const line = waiting.add_lines();
  line->set_severity(level == LogLevel::kError
                         ? carme::v1::LOG_SEVERITY_ERROR
                         : carme::v1::LOG_SEVERITY_WARNING);
  line->set_message(
      Readable(FormatLogLine("", event, fields).substr(1), kMaxSentLineBytes));
  thread.Wake();
}

absl::Duration LogReporter::State::Send() {
  const absl::Time now = absl::Now();
  if (now < next_at) return next_at - now;
  carme::v1::ReportLogRequest request;
  {
    const absl::MutexLock lock(&mutex);
    if (waiting.lines_size() == 0) return absl::InfiniteDuration();
    waiting.Swap(&request);
  }
  request.set_slurm_job_id(job.value());
  request.set_request_id(request_id);
  const absl::Status sent =
      SendLogReport(connection.get(), request, kLogCallTimeout);
  const bool retry =
      absl::IsUnavailable(sent) || absl::IsDeadlineExceeded(sent);
  if (retry) {
    // The older lines show the cause: newer ones are dropped for them.
    const absl::MutexLock lock(&mutex);
    uint64_t dropped = request.dropped() + waiting.dropped();
    for (const carme::v1::ReportedLogLine& line : waiting.lines()) {
      if (request.lines_size() < kMaxWaitingLines) {
        *request.add_lines() = line;
      } else {
        ++dropped;
      }
    }
    request.set_dropped(dropped);
    waiting.Swap(&request);
  }
  next_at = absl::Now() + (retry ? kBetweenLogRetries : kBetweenLogReports);
  return next_at - absl::Now();
}

LogReporter::LogReporter(std::unique_ptr<State> state)
    : state_(std::move(state)) {
  State* const own = state_.get();
  own->thread.Start("log-reporter", [own] { return own->Send(); });
  SetLogObserver([own](LogLevel level, std::string_view event,
                       LogFields fields) { own->Add(level, event, fields); });
}

absl::StatusOr<std::unique_ptr<LogReporter>> LogReporter::Open(
    BackendAddress backend, SlurmJobId job, std::string request_id) {
  auto state = std::make_unique<State>();
  ASSIGN_OR_RETURN(state->connection,
                   BackendConnection::Open(std::move(backend)));
  state->job = job;
  state->request_id = std::move(request_id);
  return std::unique_ptr<LogReporter>(new LogReporter(std::move(state)));
}

LogReporter::~LogReporter() {
  SetLogObserver(nullptr);
  state_->thread.Stop();
  state_->next_at = absl::InfinitePast();
  state_->Send();
}

}  // namespace carme::agent
