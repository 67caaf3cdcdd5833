#include "frontend/clusters/merged_jobs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/clusters/cluster_response.h"
#include "frontend/clusters/messages.h"
#include "frontend/clusters/portal_clusters.h"

namespace carme::frontend {
namespace {

// A call that finds no free thread runs in its caller's, one cluster after
// another.
constexpr int kThreads = 8;
constexpr size_t kMaxQueued = 64;
constexpr absl::Duration kFurtherTimeout = absl::Seconds(5);
constexpr int kMaxPageSize = 1000;  // of ListJobsRequest, and its default

bool IsNewer(const v1::Job& a, const v1::Job& b) {
  const auto key = [](const v1::Job& job) {
    return std::tuple(job.created_at().seconds(), job.created_at().nanos(),
                      std::string_view(job.id()));
  };
  return key(a) > key(b);
}

}  // namespace

struct MergedJobs::Part {
  const PortalCluster* cluster = nullptr;
  std::string token;  // empty: the first page
  absl::StatusOr<v1::ListJobsResponse> response = absl::UnknownError("");
};

MergedJobs::MergedJobs(ClusterCalls* calls)
    : calls_(calls), threads_(kThreads, kMaxQueued) {}

absl::StatusOr<std::vector<MergedJobs::Part>> MergedJobs::PartsOf(
    const v1::ListJobsRequest& request) const {
  const PortalClusters& clusters = calls_->clusters();
  std::vector<Part> parts;
  if (request.page_token().empty()) {
    for (const PortalCluster& cluster : clusters.all()) {
      parts.push_back({.cluster = &cluster, .token = ""});
    }
    return parts;
  }
  for (const absl::string_view item :
       absl::StrSplit(request.page_token(), ',')) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    const auto cluster = clusters.Find(pair.first);
    const bool twice =
        cluster.ok() &&
        std::any_of(parts.begin(), parts.end(),
                    [&](const Part& part) { return part.cluster == *cluster; });
    if (!cluster.ok() || twice) {
      return MakeError(clusters_messages::kPageTokenInvalid);
    }
    parts.push_back({.cluster = *cluster, .token = pair.second});
  }
  return parts;
}

void MergedJobs::Fetch(const BackendCall& call, v1::ListJobsRequest request,
                       Part* part) {
  BackendCall own = call;
  if (calls_->clusters().IsFurther(*part->cluster)) {
    own.deadline = std::min(call.deadline, absl::Now() + kFurtherTimeout);
  }
  request.set_page_token(part->token);
  const absl::StatusOr<std::string> bytes =
      calls_->Call(*part->cluster, own, request.SerializeAsString());
  if (!bytes.ok()) {
    part->response = bytes.status();
    return;
  }
  v1::ListJobsResponse response;
  if (!response.ParseFromString(*bytes)) {
    part->response = absl::InternalError("invalid response from the backend");
    return;
  }
  SetCluster(part->cluster->name, &response);
  part->response = std::move(response);
}

absl::StatusOr<v1::ListJobsResponse> MergedJobs::List(
    const BackendCall& call, const v1::ListJobsRequest& request) {
  ASSIGN_OR_RETURN(std::vector<Part> parts, PartsOf(request));
  v1::ListJobsRequest share = request;
  size_t called = parts.size();
  if (request.page_size() >= 0 && request.page_size() <= kMaxPageSize) {
    const int size =
        request.page_size() == 0 ? kMaxPageSize : request.page_size();
    // The other clusters are on the next page.
    called = std::min(called, static_cast<size_t>(size));
    share.set_page_size(size / static_cast<int>(called));
  }  // Otherwise the backend refuses it.
  absl::BlockingCounter running(static_cast<int>(called));
  for (size_t i = 0; i < called; ++i) {
    const auto fetch = [this, &call, &share, &running, part = &parts[i]] {
      Fetch(call, share, part);
      running.DecrementCount();
    };
    if (i + 1 == called || !threads_.Add(fetch)) fetch();
  }
  running.Wait();

  v1::ListJobsResponse merged;
  std::vector<std::string> tokens;
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    const auto add_token = [&](const std::string& token) {
      tokens.push_back(absl::StrCat(part.cluster->name, "=", token));
    };
    if (i >= called) {
      add_token(part.token);
      continue;
    }
    const absl::Status& status = part.response.status();
    if (!status.ok()) {
      const bool fails = !calls_->clusters().IsFurther(*part.cluster) ||
                         absl::IsUnauthenticated(status) ||
                         absl::IsInvalidArgument(status);
      if (fails) return status;
      merged.add_unreachable_clusters(part.cluster->name);
      continue;
    }
    const std::string& next = part.response->next_page_token();
    if (!next.empty()) add_token(next);
    merged.mutable_jobs()->MergeFrom(part.response->jobs());
  }
  std::sort(merged.mutable_jobs()->begin(), merged.mutable_jobs()->end(),
            IsNewer);
  merged.set_next_page_token(absl::StrJoin(tokens, ","));
  return merged;
}

}  // namespace carme::frontend
