#include "backend/privileged/acts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backend/privileged/job_script.h"
#include "backend/privileged/outcome.h"

namespace carme {
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
  return JobLogName(request.read_log().carme_job_id(),
                    request.read_log().app());
}

// Its size: there is no job.
std::string ForeseeObject(const Request& request) {
  return absl::StrCat(request.foresee().partition(), "/",
                      request.foresee().nodes(), "/",
                      request.foresee().gpus_per_node());
}

std::string StorageObject(const Request& /*request*/) { return "storage"; }

constexpr Operation kOperations[] = {
    {Request::kSubmit, "submit", SubmitObject, ActKind::kSubmit, true, false,
     SubmitJob},
    {Request::kCancel, "cancel", CancelObject, ActKind::kCancel, false, false,
     CancelJob},
    {Request::kUpdate, "update", UpdateObject, ActKind::kUpdate, false, false,
     UpdateJob},
    {Request::kReadLog, "read_log", LogObject, ActKind::kReadLog, false, false,
     ReadJobLog},
    {Request::kForesee, "foresee", ForeseeObject, ActKind::kForesee, false,
     false, ForeseeJob},
    {Request::kReadStorage, "read_storage", StorageObject,
     ActKind::kReadStorage, false, true, RefuseStorage},
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

}  // namespace carme
