#include "backend/jobs/feeds/job_feed.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

Job JobOf(const std::string& owner, const std::string& id,
          JobState state = v1::JOB_STATE_PENDING) {
  Job job;
  job.id = JobId(id);
  job.owner = owner;
  job.state = state;
  return job;
}

TEST_CASE("job feed: delivers only the user's own jobs", "[jobs]") {
  JobFeed feed;
  int woken = 0;
  const auto ada = feed.Subscribe("ada", [&] { ++woken; });
  feed.Publish(JobOf("bob", "b"));
  CHECK(woken == 0);
  CHECK(ada->Drain().jobs.empty());
}

TEST_CASE("job feed: a slow reader gets the newest state once", "[jobs]") {
  JobFeed feed;
  const auto ada = feed.Subscribe("ada", [] {});
  for (const JobState state :
       {v1::JOB_STATE_PENDING, v1::JOB_STATE_STARTING, v1::JOB_STATE_READY}) {
    feed.Publish(JobOf("ada", "a", state));
  }
  const JobUpdates news = ada->Drain();
  REQUIRE(news.jobs.size() == 1);
  CHECK(news.jobs[0].state == v1::JOB_STATE_READY);
  CHECK(ada->Drain().jobs.empty());
}

TEST_CASE("job feed: a watcher that does not read loses changes", "[jobs]") {
  JobFeed feed;
  const auto ada = feed.Subscribe("ada", [] {});
  for (size_t i = 0; i <= 2 * JobFeed::kMaxKept; ++i) {
    feed.Publish(JobOf("ada", std::to_string(i)));
  }
  const JobUpdates news = ada->Drain();
  CHECK(news.lost);
  CHECK(news.jobs.empty());
  feed.Publish(JobOf("ada", "next"));
  CHECK(ada->Drain().jobs.size() == 1);
}

TEST_CASE("job feed: a new version of the cluster wakes each subscriber once",
          "[jobs]") {
  JobFeed feed;
  int woken = 0;
  const auto ada = feed.Subscribe("ada", [&] { ++woken; });
  const auto bob = feed.Subscribe("bob", [&] { ++woken; });
  feed.PublishCluster(7);
  feed.PublishCluster(7);
  CHECK(woken == 2);
  CHECK(ada->Drain().cluster_version == 7);
}

TEST_CASE("job feed: an ended subscription is not woken", "[jobs]") {
  JobFeed feed;
  int woken = 0;
  feed.Subscribe("ada", [&] { ++woken; }).reset();
  feed.Publish(JobOf("ada", "a"));
  feed.PublishCluster(1);
  CHECK(woken == 0);
}

}  // namespace
}  // namespace carme::backend
