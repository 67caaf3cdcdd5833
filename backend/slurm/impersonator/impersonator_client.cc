#include "backend/slurm/impersonator/impersonator_client.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/protocol/client.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/slurm/impersonator/messages.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

constexpr char kProgram[] = "impersonator";
constexpr size_t kMaxNodesForeseen = 100;
// The maximum age of an observation of the impersonator.
constexpr absl::Duration kMaxObservationAge = absl::Minutes(1);
// How often a waiting call checks whether Slurm is reachable.
constexpr absl::Duration kSlurmCheckInterval = absl::Milliseconds(250);

absl::Status StatusOf(const Response& response) {
  const std::string message = response.message();
  switch (response.outcome()) {
    case privileged::v1::OUTCOME_OK:
      return absl::OkStatus();
    case privileged::v1::OUTCOME_REFUSED:
      // With an errno of Slurm the job does not exist; the user is not refused.
      if (response.slurm_errno() != 0) {
        return absl::FailedPreconditionError(message);
      }
      return absl::PermissionDeniedError(message);
    case privileged::v1::OUTCOME_SLURM_REFUSED:
      return absl::FailedPreconditionError(message);
    case privileged::v1::OUTCOME_UNAVAILABLE:
      return absl::UnavailableError(message);
    case privileged::v1::OUTCOME_NOT_FOUND:
      return absl::NotFoundError(message);
    case privileged::v1::OUTCOME_EXHAUSTED:
      return absl::ResourceExhaustedError(message);
    case privileged::v1::OUTCOME_FAILED:
      return absl::InternalError(message);
    default:
      return absl::AbortedError(message);
  }
}

// The kinds of ImpersonatorClient::operations().
enum OperationKind : size_t {
  kSubmit,
  kCancel,
  kUpdate,
  kReadLog,
  kEstimateStart,
  kExtend,
  kReserve,
  kUnreserve,
  kReserveForMaintenance,
  kSetNodeState,
  kReturnNodes,
};

const std::vector<std::string>& OperationNames() {
  static const auto* const names = new std::vector<std::string>{
      "submit",         "cancel",         "update",
      "read_log",       "estimate_start", "extend",
      "reserve",        "unreserve",      "reserve_for_maintenance",
      "set_node_state", "return_nodes"};
  return *names;
}

OperationKind KindOf(const Request& request) {
  switch (request.operation_case()) {
    case Request::kCancel:
      return kCancel;
    case Request::kUpdate:
      return kUpdate;
    case Request::kReadLog:
      return kReadLog;
    case Request::kEstimateStart:
      return kEstimateStart;
    case Request::kExtend:
      return kExtend;
    case Request::kReserve:
      return kReserve;
    case Request::kUnreserve:
      return kUnreserve;
    case Request::kReserveForMaintenance:
      return kReserveForMaintenance;
    case Request::kSetNodeState:
      return kSetNodeState;
    case Request::kReturnNodes:
      return kReturnNodes;
    default:
      return kSubmit;
  }
}

RootOperation LoggedOperation(const Request& request) {
  const OperationKind kind = KindOf(request);
  RootOperation logged{.name = OperationNames()[kind],
                       .user = request.user(),
                       .request_id = request.request_id(),
                       .reads = kind == kReadLog || kind == kEstimateStart};
  const auto set_job = [&logged](const auto& operation) {
    logged.job_id = operation.carme_job_id();
    logged.slurm_job_id = operation.slurm_job_id();
  };
  if (request.has_submit()) logged.job_id = request.submit().carme_job_id();
  if (request.has_cancel()) set_job(request.cancel());
  if (request.has_update()) set_job(request.update());
  if (request.has_return_nodes()) set_job(request.return_nodes());
  if (request.has_read_log()) set_job(request.read_log());
  if (request.has_extend()) set_job(request.extend());
  return logged;
}

Request NewRequest(const PosixUser& user, const std::string& request_id) {
  Request request;
  request.set_request_id(request_id);
  request.set_user(user.name);
  request.set_uid(user.uid.value());
  return request;
}

bool IsUnreachable(const Scheduler* scheduler) {
  if (scheduler == nullptr) return false;
  const SlurmSnapshotPtr seen = scheduler->Snapshot();
  // Unknown before the first poll.
  return !seen->reachable && seen->since != absl::InfinitePast();
}

// Logs of jobs that Slurm has purged are only read from a file system.
bool NeedsSlurm(const Request& request) {
  return !request.has_read_log() || request.read_log().slurm_job_id() != 0;
}

// Waits for data, or until `deadline`. False: Slurm became unreachable.
bool AwaitResponse(int fd, absl::Time deadline, const Scheduler* scheduler) {
  while (!IsUnreachable(scheduler)) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return true;
    pollfd answered{fd, POLLIN, 0};
    const absl::Duration wait = std::min(left, kSlurmCheckInterval);
    if (poll(&answered, 1,
             static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1) > 0) {
      return true;
    }
  }
  return false;
}

// ABORTED, DEADLINE_EXCEEDED: no response. `scheduler`: null for operations
// that do not need Slurm.
absl::StatusOr<Response> ReadResponse(int fd, absl::Duration timeout,
                                      const Scheduler* scheduler) {
  const absl::Time deadline = absl::Now() + timeout;
  if (scheduler != nullptr && !AwaitResponse(fd, deadline, scheduler)) {
    return MakeError(slurm_operation_messages::kStalled);
  }
  Response response;
  RETURN_IF_ERROR(ReadFromProgram(fd, deadline, timeout, kProgram, &response));
  return response;
}

void Fill(const Submission& submission, privileged::v1::Submit* submit) {
  submit->set_carme_job_id(submission.job.value());
  submit->set_name(submission.name);
  submit->set_partition(submission.partition);
  submit->set_nodes(submission.nodes);
  submit->set_gpus_per_node(submission.gpus_per_node);
  submit->set_gpu_type(submission.gpu_type);
  submit->set_cpus_per_node(submission.cpus_per_node);
  submit->set_memory_per_node_mib(submission.memory_per_node_mib);
  submit->set_walltime_min(
      static_cast<int>(absl::ToInt64Minutes(submission.walltime)));
  *submit->mutable_excluded_nodes() = {submission.excluded_nodes.begin(),
                                       submission.excluded_nodes.end()};
  submit->set_account(submission.account);
  submit->set_qos(submission.qos);
  submit->set_reservation(submission.reservation);
  if (submission.begin) {
    submit->set_begin_unix_s(absl::ToUnixSeconds(*submission.begin));
  }
  submit->set_array(submission.array);
  for (const auto& [job, kind] : submission.dependencies) {
    privileged::v1::Dependency* row = submit->add_dependencies();
    row->set_slurm_job_id(job.value());
    row->set_kind(static_cast<privileged::v1::Dependency::Kind>(kind));
  }
}

void Fill(const ReservationRequest& reservation,
          privileged::v1::Reserve* reserve) {
  reserve->set_name(reservation.name);
  reserve->set_partition(reservation.partition);
  reserve->set_nodes(reservation.nodes);
  reserve->set_start_unix_s(absl::ToUnixSeconds(reservation.starts_at));
  reserve->set_minutes(
      static_cast<int>(absl::ToInt64Minutes(reservation.duration)));
  *reserve->mutable_users() = {reservation.users.begin(),
                               reservation.users.end()};
}

Request SubmitRequest(const PosixUser& user, const Submission& submission,
                      const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  Fill(submission, request.mutable_submit());
  return request;
}

privileged::v1::Hold HoldOf(JobChange::Hold hold) {
  switch (hold) {
    case JobChange::Hold::kUnchanged:
      break;
    case JobChange::Hold::kHold:
      return privileged::v1::HOLD_HOLD;
    case JobChange::Hold::kRelease:
      return privileged::v1::HOLD_RELEASE;
  }
  return privileged::v1::HOLD_UNSPECIFIED;
}

Request UpdateRequest(const PosixUser& user, SlurmJobId slurm_job,
                      const JobId& job, const JobChange& change,
                      const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  privileged::v1::Update* update = request.mutable_update();
  update->set_slurm_job_id(slurm_job.value());
  update->set_carme_job_id(job.value());
  if (change.walltime.has_value()) {
    update->set_walltime_min(
        static_cast<int>(absl::ToInt64Minutes(*change.walltime)));
  }
  if (change.name.has_value()) update->set_name(*change.name);
  update->set_hold(HoldOf(change.hold));
  return request;
}

// Owns the connection; closing it aborts the submission.
class PreparedWithImpersonator : public PreparedSubmission {
 public:
  PreparedWithImpersonator(absl::StatusOr<UniqueFd> fd, RootOperation operation,
                           absl::Duration timeout, const Scheduler* scheduler,
                           const RootProgramLog* log,
                           OperationMeter* operations)
      : fd_(std::move(fd)),
        operation_(std::move(operation)),
        timeout_(timeout),
        scheduler_(scheduler),
        log_(*log),
        measured_(operations, kSubmit,
                  static_cast<size_t>(absl::StatusCode::kCancelled)) {}

  absl::StatusOr<SlurmJobId> SubmitAsUser() override {
    absl::StatusOr<SlurmJobId> submitted = Commit();
    measured_.SetCode(submitted.status());
    if (submitted.ok()) operation_.slurm_job_id = submitted->value();
    log_.Add(operation_, submitted.status());
    return submitted;
  }

 private:
  absl::StatusOr<SlurmJobId> Commit() {
    RETURN_IF_ERROR(fd_.status());
    privileged::v1::Commit commit;
    commit.set_carme_job_id(operation_.job_id);
    const bool is_closed =
        !WriteFrame(fd_->get(), commit.SerializeAsString()).ok();
    const absl::StatusOr<Response> response =
        ReadResponse(fd_->get(), timeout_, scheduler_);
    // Without a commit nothing is submitted; a refusal may precede it.
    if (is_closed && !response.ok()) {
      return MakeError(slurm_operation_messages::kImpersonatorEnded);
    }
    RETURN_IF_ERROR(response.status());
    RETURN_IF_ERROR(StatusOf(*response));
    if (response->slurm_job_id() == 0) {
      return MakeError(slurm_operation_messages::kJobIdMissing);
    }
    return SlurmJobId(response->slurm_job_id());
  }

  const absl::StatusOr<UniqueFd> fd_;
  RootOperation operation_;
  const absl::Duration timeout_;
  const Scheduler* const scheduler_;
  const RootProgramLog& log_;
  OperationMeter::Scope measured_;
};

}  // namespace

ImpersonatorClient::ImpersonatorClient(ImpersonatorClientConfig config,
                                       const Scheduler* scheduler,
                                       ServiceLog* logs)
    : config_(std::move(config)),
      scheduler_(scheduler),
      log_(logs, "carme-impersonator"),
      operations_(OperationNames()) {}

std::unique_ptr<PreparedSubmission> ImpersonatorClient::Prepare(
    const PosixUser& user, const Submission& submission,
    const std::string& request_id) {
  const Request request = SubmitRequest(user, submission, request_id);
  absl::StatusOr<UniqueFd> sent =
      SendToProgram(config_.socket, kProgram, request);
  // Only the response shows that it was accepted.
  if (!sent.ok()) availability_.Observe(sent.status(), absl::Now());
  return std::make_unique<PreparedWithImpersonator>(
      std::move(sent), LoggedOperation(request), config_.timeout, scheduler_,
      &log_, &operations_);
}

absl::StatusOr<Response> ImpersonatorClient::Run(const Request& request) {
  OperationMeter::Scope measured(&operations_, KindOf(request), 0);
  absl::StatusOr<Response> response = Exchange(request);
  measured.SetCode(response.status());
  return response;
}

absl::StatusOr<Response> ImpersonatorClient::Exchange(const Request& request) {
  const Scheduler* const scheduler = NeedsSlurm(request) ? scheduler_ : nullptr;
  if (IsUnreachable(scheduler)) {
    return MakeError(slurm_operation_messages::kNotResponding);
  }
  absl::StatusOr<UniqueFd> fd =
      SendToProgram(config_.socket, kProgram, request);
  absl::StatusOr<Response> response =
      fd.ok() ? ReadResponse(fd->get(), config_.timeout, scheduler)
              : fd.status();
  // A wait that ended because Slurm is unreachable shows nothing.
  if (!IsUnreachable(scheduler)) {
    availability_.Observe(response.status(), absl::Now());
  }
  const absl::Status result =
      response.ok() ? StatusOf(*response) : response.status();
  log_.Add(LoggedOperation(request), result);
  RETURN_IF_ERROR(result);
  return response;
}

void ImpersonatorClient::ProbeIdle() {
  if (!availability_.IsStale(absl::Now(), kMaxObservationAge)) return;
  availability_.Observe(ProbeProgram(config_.socket, kProgram), absl::Now());
}

absl::Status ImpersonatorClient::CancelAsUser(const PosixUser& user,
                                              SlurmJobId slurm_job,
                                              const JobId& job,
                                              const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  request.mutable_cancel()->set_slurm_job_id(slurm_job.value());
  request.mutable_cancel()->set_carme_job_id(job.value());
  return Run(request).status();
}

absl::Status ImpersonatorClient::UpdateAsUser(const PosixUser& user,
                                              SlurmJobId slurm_job,
                                              const JobId& job,
                                              const JobChange& change,
                                              const std::string& request_id) {
  return Run(UpdateRequest(user, slurm_job, job, change, request_id)).status();
}

absl::Status ImpersonatorClient::ExtendForUser(const PosixUser& user,
                                               SlurmJobId slurm_job,
                                               const JobId& job,
                                               absl::Duration walltime,
                                               const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  privileged::v1::Extend* extend = request.mutable_extend();
  extend->set_slurm_job_id(slurm_job.value());
  extend->set_carme_job_id(job.value());
  extend->set_walltime_min(static_cast<int>(absl::ToInt64Minutes(walltime)));
  return Run(request).status();
}

absl::Status ImpersonatorClient::ReturnNodesAsUser(
    const PosixUser& user, SlurmJobId slurm_job, const JobId& job,
    const std::vector<std::string>& nodes, const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  privileged::v1::ReturnNodes* change = request.mutable_return_nodes();
  change->set_slurm_job_id(slurm_job.value());
  change->set_carme_job_id(job.value());
  *change->mutable_nodes() = {nodes.begin(), nodes.end()};
  return Run(request).status();
}

absl::StatusOr<SlurmStartEstimate> ImpersonatorClient::EstimateStartAsUser(
    const PosixUser& user, const Submission& submission,
    const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  Fill(submission, request.mutable_estimate_start());
  ASSIGN_OR_RETURN(const Response response, Run(request));
  SlurmStartEstimate start_estimate{
      .starts_at =
          absl::FromUnixSeconds(response.start_estimate().starts_at_unix_s()),
      .nodes = ExpandHostlist(response.start_estimate().node_list())};
  if (start_estimate.nodes.size() > kMaxNodesForeseen) {
    start_estimate.nodes.resize(kMaxNodesForeseen);
  }
  return start_estimate;
}

absl::StatusOr<LogText> ImpersonatorClient::ReadLogAsUser(
    const PosixUser& user, const LogPart& part, const std::string& request_id) {
  Request request = NewRequest(user, request_id);
  privileged::v1::ReadLog* read = request.mutable_read_log();
  read->set_carme_job_id(part.job.value());
  if (part.slurm_job.has_value())
    read->set_slurm_job_id(part.slurm_job->value());
  read->set_app(part.app);
  read->set_offset_bytes(part.offset);
  read->set_max_bytes(static_cast<uint32_t>(part.max_bytes));
  if (part.task) read->set_task(*part.task);
  ASSIGN_OR_RETURN(const Response response, Run(request));
  return LogText{.text = response.log().text(),
                 .offset = response.log().offset_bytes(),
                 .size = response.log().size_bytes()};
}

absl::Status ImpersonatorClient::Reserve(const PosixUser& owner,
                                         const ReservationRequest& reservation,
                                         const std::string& request_id) {
  Request request = NewRequest(owner, request_id);
  Fill(reservation, request.mutable_reserve());
  return Run(request).status();
}

absl::Status ImpersonatorClient::SetUsers(const PosixUser& owner,
                                          const ReservationRequest& reservation,
                                          const std::string& request_id) {
  Request request = NewRequest(owner, request_id);
  Fill(reservation, request.mutable_reserve());
  request.mutable_reserve()->set_users_only(true);
  return Run(request).status();
}

absl::Status ImpersonatorClient::ReserveForMaintenance(
    const PosixUser& owner, const MaintenanceReservation& reservation,
    const std::string& request_id) {
  Request request = NewRequest(owner, request_id);
  privileged::v1::ReserveForMaintenance* reserve =
      request.mutable_reserve_for_maintenance();
  reserve->set_name(reservation.name);
  reserve->set_start_unix_s(absl::ToUnixSeconds(reservation.starts_at));
  if (reservation.duration != absl::InfiniteDuration()) {
    reserve->set_minutes(
        static_cast<int>(absl::ToInt64Minutes(reservation.duration)));
  }
  reserve->set_partition(reservation.partition);
  reserve->set_nodes(reservation.nodes);
  return Run(request).status();
}

absl::Status ImpersonatorClient::Unreserve(const PosixUser& owner,
                                           const std::string& name,
                                           const std::string& request_id) {
  Request request = NewRequest(owner, request_id);
  request.mutable_unreserve()->set_name(name);
  return Run(request).status();
}

absl::Status ImpersonatorClient::Drain(const PosixUser& administrator,
                                       const std::vector<std::string>& nodes,
                                       const std::string& reason,
                                       const std::string& request_id) {
  Request request = NewRequest(administrator, request_id);
  privileged::v1::SetNodeState* change = request.mutable_set_node_state();
  *change->mutable_nodes() = {nodes.begin(), nodes.end()};
  change->set_action(privileged::v1::NODE_ACTION_DRAIN);
  change->set_reason(reason);
  return Run(request).status();
}

absl::Status ImpersonatorClient::Resume(const PosixUser& administrator,
                                        const std::vector<std::string>& nodes,
                                        const std::string& request_id) {
  Request request = NewRequest(administrator, request_id);
  privileged::v1::SetNodeState* change = request.mutable_set_node_state();
  *change->mutable_nodes() = {nodes.begin(), nodes.end()};
  change->set_action(privileged::v1::NODE_ACTION_RESUME);
  return Run(request).status();
}

}  // namespace carme::backend
