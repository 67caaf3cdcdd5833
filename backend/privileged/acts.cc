#include "backend/privileged/acts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backend/privileged/job_script.h"
#include "backend/privileged/outcome.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;

std::string SubmitObject(const Request& request) {
  return request.submit().carme_job_id();
}

std::string CancelObject(const Request& request) {
  return absl::StrCat(request.cancel().carme_job_id(), "/",
                      request.cancel().slurm_job_id());
}

std::string UpdateObject(const Request& request) {
  return absl::StrCat(request.update().carme_job_id(), "/",
                      request.update().slurm_job_id());
}

std::string LogObject(const Request& request) {
  const privileged::v1::ReadLog& read = request.read_log();
  if (!read.has_task()) return JobLogName(read.carme_job_id(), read.app());
  return JobLogName(read.carme_job_id(), "", read.task());
}

// Its size: there is no job.
std::string ForeseeObject(const Request& request) {
  return absl::StrCat(request.foresee().partition(), "/",
                      request.foresee().nodes(), "/",
                      request.foresee().gpus_per_node());
}

std::string StorageObject(const Request& /*request*/) { return "storage"; }

std::string ReserveObject(const Request& request) {
  const privileged::v1::Reserve& reserve = request.reserve();
  if (reserve.users_only()) {
    return absl::StrCat(reserve.name(), "/users/", reserve.users_size());
  }
  return absl::StrCat(reserve.name(), "/", reserve.partition(), "/",
                      reserve.nodes(), "/", reserve.start_unix_s(), "/",
                      reserve.minutes());
}

std::string ExtendObject(const Request& request) {
  return absl::StrCat(request.extend().carme_job_id(), "/",
                      request.extend().slurm_job_id(), "/",
                      request.extend().walltime_min());
}

std::string UnreserveObject(const Request& request) {
  return request.unreserve().name();
}

constexpr Operation kOperations[] = {
    {.act_case = Request::kSubmit,
     .name = "submit",
     .object = SubmitObject,
     .kind = ActKind::kSubmit,
     .awaits_go = true,
     .act = SubmitJob},
    {.act_case = Request::kCancel,
     .name = "cancel",
     .object = CancelObject,
     .kind = ActKind::kCancel,
     .act = CancelJob},
    {.act_case = Request::kUpdate,
     .name = "update",
     .object = UpdateObject,
     .kind = ActKind::kUpdate,
     .act = UpdateJob},
    {.act_case = Request::kReadLog,
     .name = "read_log",
     .object = LogObject,
     .kind = ActKind::kReadLog,
     .act = ReadJobLog},
    {.act_case = Request::kForesee,
     .name = "foresee",
     .object = ForeseeObject,
     .kind = ActKind::kForesee,
     .act = ForeseeJob},
    {.act_case = Request::kReadStorage,
     .name = "read_storage",
     .object = StorageObject,
     .kind = ActKind::kReadStorage,
     .of_storage = true,
     .act = RefuseStorage},
    {.act_case = Request::kReserve,
     .name = "reserve",
     .object = ReserveObject,
     .kind = ActKind::kReserve,
     .as_operator = true,
     .in_turn = true,
     .act = ReserveNodes},
    {.act_case = Request::kUnreserve,
     .name = "unreserve",
     .object = UnreserveObject,
     .kind = ActKind::kReserve,
     .as_operator = true,
     .act = UnreserveNodes},
    {.act_case = Request::kExtend,
     .name = "extend",
     .object = ExtendObject,
     .kind = ActKind::kExtend,
     .as_operator = true,
     .act = ExtendJob},
};

}  // namespace

const Operation& OperationOf(const Request& request) {
  const auto* found = std::find_if(
      std::begin(kOperations), std::end(kOperations),
      [&](const auto& entry) { return entry.act_case == request.act_case(); });
  if (found == std::end(kOperations)) std::abort();
  return *found;
}

privileged::v1::Response RefuseStorage(const Request& /*request*/,
                                       const Account& /*account*/,
                                       const ImpersonatorConfig& /*config*/,
                                       ChildPipe* /*pipe*/) {
  return Outcome(privileged::v1::OUTCOME_REFUSED,
                 "storage is asked for on another socket");
}

}  // namespace carme::impersonator
