// ListJobs of all clusters in one response, for calls that name no cluster.
#ifndef CARME_FRONTEND_CLUSTERS_MERGED_JOBS_H_
#define CARME_FRONTEND_CLUSTERS_MERGED_JOBS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "carme/v1/jobs.pb.h"
#include "common/concurrency/thread_pool.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/clusters/cluster_calls.h"

namespace carme::frontend {

// Thread-safe.
class MergedJobs {
 public:
  // `calls` must outlive the object.
  explicit MergedJobs(ClusterCalls* calls);

  // A page has a share of jobs of each cluster, the newest first; the jobs of
  // two pages are not in order. The token is a list of the clusters' own
  // tokens, "alpha=TOKEN,beta=TOKEN". The errors of the identity backend's
  // cluster, and INVALID_ARGUMENT and UNAUTHENTICATED of any. Blocks for at
  // most 5 s longer than the identity backend.
  absl::StatusOr<v1::ListJobsResponse> List(const BackendCall& call,
                                            const v1::ListJobsRequest& request);

 private:
  struct Part;  // the page of one cluster
  absl::StatusOr<std::vector<Part>> PartsOf(
      const v1::ListJobsRequest& request) const;
  void Fetch(const BackendCall& call, v1::ListJobsRequest request, Part* part);

  ClusterCalls* const calls_;
  ThreadPool threads_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_MERGED_JOBS_H_
