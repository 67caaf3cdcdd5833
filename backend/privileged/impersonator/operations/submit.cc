// Submits a job as the user that this process runs as, or asks Slurm when it
// would start. Both use the same job description, so that the estimate is about
// exactly the job that would be submitted.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/privileged/impersonator/operations/job_script.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;
using privileged::v1::Submit;

// A longer list does not fit into a response and is left out.
constexpr size_t kMaxNodeListBytes = 32 * 1024;

// libslurm's structures have char* members that it only reads.
char* Text(const std::string& text) {
  return text.empty() ? nullptr : const_cast<char*>(text.c_str());
}

// slurmstepd opens the job's log as the user and does not create its directory.
absl::Status MakeLogDirectory(const std::string& home) {
  const UniqueFd fd(open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string what =
      absl::StrCat("create \"", home, "/", kLogDirectory, "\"");
  if (!fd.valid()) return ErrnoError(errno, what);
  if (mkdirat(fd.get(), kLogDirectory, 0700) == 0) return absl::OkStatus();
  if (errno != EEXIST) return ErrnoError(errno, what);
  struct stat info {};
  // A link may lead to a server that does not respond, and logs are not read
  // through links.
  if (fstatat(fd.get(), kLogDirectory, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoError(errno, what);
  }
  if (S_ISLNK(info.st_mode)) {
    return MakePlainError(operation_messages::kWorkDirectoryIsLink,
                          {{"subject", what}});
  }
  return S_ISDIR(info.st_mode) ? absl::OkStatus() : ErrnoError(ENOTDIR, what);
}

// Such as "afterok:12,afterany:13"; all of them must be met.
std::string DependencyText(const Submit& submit) {
  using privileged::v1::Dependency;
  return absl::StrJoin(
      submit.dependencies(), ",",
      [](std::string* out, const Dependency& dependency) {
        const char* kind = "after";
        if (dependency.kind() == Dependency::KIND_AFTER_OK) kind = "afterok";
        if (dependency.kind() == Dependency::KIND_AFTER_ANY) kind = "afterany";
        if (dependency.kind() == Dependency::KIND_AFTER_NOT_OK) {
          kind = "afternotok";
        }
        absl::StrAppend(out, kind, ":", dependency.slurm_job_id());
      });
}

// Owns the strings that a job_desc_msg_t points into.
class JobDescription {
 public:
  JobDescription(const Submit& submit, const std::string& request_id,
                 const Account& account, const ImpersonatorConfig& config)
      : submit_(submit),
        home_(account.home),
        feature_(config.feature),
        script_(JobScript(config, submit.carme_job_id(), request_id)),
        comment_(absl::StrCat("carme:", submit.carme_job_id())),
        log_(JobLogPattern(account, submit.carme_job_id(),
                           !submit.array().empty())),
        gpus_(GpuRequest(submit.gpu_type(), submit.gpus_per_node())),
        excluded_(absl::StrJoin(submit.excluded_nodes(), ",")),
        dependency_(DependencyText(submit)),
        environment_(JobEnvironment(account)) {
    for (const std::string& entry : environment_) {
      environment_pointers_.push_back(Text(entry));
    }
    environment_pointers_.push_back(nullptr);
    slurm_init_job_desc_msg(&description_);
    description_.user_id = account.uid;
    description_.group_id = account.gid;
    SetSize();
    SetStrings();
  }
  job_desc_msg_t* get() { return &description_; }

 private:
  void SetSize() {
    const auto nodes = static_cast<uint32_t>(submit_.nodes());
    const auto cpus = static_cast<uint16_t>(submit_.cpus_per_node());
    description_.min_nodes = description_.max_nodes = nodes;
    description_.num_tasks = nodes;
    description_.ntasks_per_node = 1;
    description_.cpus_per_task = cpus;
    description_.min_cpus = nodes * cpus;
    description_.pn_min_memory =
        static_cast<uint64_t>(submit_.memory_per_node_mib());
    description_.time_limit = static_cast<uint32_t>(submit_.walltime_min());
    if (const uint16_t notice = EndNoticeSeconds(submit_.walltime_min())) {
      description_.warn_flags =
          KILL_JOB_BATCH;  // signals the agent, not its apps
      description_.warn_signal = SIGUSR1;
      description_.warn_time = notice;
    }
    // A requeued job would be two sessions under one id.
    description_.requeue = 0;
    // Otherwise a job that can never start stays pending and counts for limits.
    if (submit_.dependencies_size() > 0) description_.bitflags |= KILL_INV_DEP;
    if (submit_.begin_unix_s() > 0) {
      description_.begin_time = static_cast<time_t>(submit_.begin_unix_s());
    }
  }
  void SetStrings() {
    description_.name = Text(submit_.name());
    description_.partition = Text(submit_.partition());
    description_.features = Text(feature_);
    description_.comment = Text(comment_);
    description_.tres_per_node = Text(gpus_);
    description_.exc_nodes = Text(excluded_);
    description_.account = Text(submit_.account());
    description_.qos = Text(submit_.qos());
    description_.reservation = Text(submit_.reservation());
    description_.array_inx = Text(submit_.array());
    description_.dependency = Text(dependency_);
    description_.script = Text(script_);
    description_.work_dir = Text(home_);
    description_.std_out = Text(log_);
    description_.std_err = Text(log_);
    description_.environment = environment_pointers_.data();
    description_.env_size = static_cast<uint32_t>(environment_.size());
  }

  Submit submit_;
  std::string home_, feature_, script_, comment_, log_, gpus_, excluded_,
      dependency_;
  std::vector<std::string> environment_;
  std::vector<char*> environment_pointers_;
  job_desc_msg_t description_;
};

absl::Status CheckArray(const Submit& submit,
                        const ImpersonatorConfig& config) {
  const int64_t tasks = CountArrayTasks(submit.array()).value_or(0);
  if (tasks <= config.max_array_tasks) return absl::OkStatus();
  return MakePlainError(operation_messages::kArrayTooLarge,
                        {{"tasks", tasks}, {"max", config.max_array_tasks}});
}

}  // namespace

Response SubmitJob(const Request& request, const Account& account,
                   const ImpersonatorConfig& config, ChildPipe* pipe) {
  if (const absl::Status allowed = CheckArray(request.submit(), config);
      !allowed.ok()) {
    return ResponseFor(allowed);
  }
  if (const absl::Status made = MakeLogDirectory(account.home); !made.ok()) {
    return MakeResponse(privileged::v1::OUTCOME_REFUSED, made.message());
  }
  JobDescription description(request.submit(), request.request_id(), account,
                             config);
  if (!pipe->Begin()) return NotCommitted();
  submit_response_msg_t* submitted = nullptr;
  if (slurm_submit_batch_job(description.get(), &submitted) != SLURM_SUCCESS ||
      submitted == nullptr) {
    return SlurmErrorResponse(SlurmErrno());
  }
  Response response = MakeResponse(privileged::v1::OUTCOME_OK, "");
  response.set_slurm_job_id(SubmittedJob(*submitted));
  return response;
}

Response EstimateStart(const Request& request, const Account& account,
                       const ImpersonatorConfig& config, ChildPipe* /*pipe*/) {
  if (const absl::Status allowed = CheckArray(request.estimate_start(), config);
      !allowed.ok()) {
    return ResponseFor(allowed);
  }
  JobDescription description(request.estimate_start(), request.request_id(),
                             account, config);
  will_run_response_msg_t* estimate = nullptr;
  if (slurm_job_will_run2(description.get(), &estimate) != SLURM_SUCCESS ||
      estimate == nullptr) {
    const int error = SlurmErrno();
    Response response = SlurmErrorResponse(error);
    // Nothing is changed, so the effect is never unknown.
    if (response.outcome() == privileged::v1::OUTCOME_UNKNOWN) {
      response.set_outcome(privileged::v1::OUTCOME_UNAVAILABLE);
    }
    return response;
  }
  Response response = MakeResponse(privileged::v1::OUTCOME_OK, "");
  privileged::v1::StartEstimate* start = response.mutable_start_estimate();
  start->set_starts_at_unix_s(estimate->start_time);
  const std::string nodes =
      estimate->node_list != nullptr ? estimate->node_list : "";
  if (nodes.size() <= kMaxNodeListBytes) start->set_node_list(nodes);
  return response;
}

}  // namespace carme::impersonator
