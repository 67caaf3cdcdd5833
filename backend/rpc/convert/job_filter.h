// Applies JobFilter, and splits lists of jobs into pages.
#ifndef CARME_BACKEND_RPC_CONVERT_JOB_FILTER_H_
#define CARME_BACKEND_RPC_CONVERT_JOB_FILTER_H_

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/jobs/model/job.h"
#include "backend/rpc/convert/paging.h"
#include "carme/v1/jobs.pb.h"

namespace carme::backend {

// INVALID_ARGUMENT.
absl::Status CheckJobFilter(const v1::JobFilter& filter);
// Whether the job matches all fields that the filter sets.
bool Matches(const v1::JobFilter& filter, const Job& job);
// The sort key of lists of jobs: newest first.
std::string JobPageKey(const Job& job);

// Reduces `jobs` to the requested page, newest first, and returns the token of
// the next page. The request has `filter`, `page_size` and `page_token`.
template <typename Request>
absl::StatusOr<std::string> CutJobs(const Request& request,
                                    std::vector<Job>* jobs) {
  RETURN_IF_ERROR(CheckJobFilter(request.filter()));
  std::erase_if(
      *jobs, [&](const Job& job) { return !Matches(request.filter(), job); });
  std::sort(jobs->begin(), jobs->end(), [](const Job& a, const Job& b) {
    return JobPageKey(a) < JobPageKey(b);
  });
  return CutPage(PageOf(request), jobs,
                 [](const Job& job, size_t) { return JobPageKey(job); });
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_JOB_FILTER_H_
