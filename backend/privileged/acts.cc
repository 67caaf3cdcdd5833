#include "backend/privileged/acts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"

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

constexpr Operation kOperations[] = {
    {Request::kSubmit, "submit", SubmitObject, true, SubmitJob},
    {Request::kCancel, "cancel", CancelObject, false, CancelJob},
};

}  // namespace

const Operation& OperationOf(const Request& request) {
  const auto* found = std::find_if(
      std::begin(kOperations), std::end(kOperations),
      [&](const auto& entry) { return entry.act_case == request.act_case(); });
  if (found == std::end(kOperations)) std::abort();
  return *found;
}

}  // namespace carme
