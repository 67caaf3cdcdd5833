#include "backend/jobs/feeds/job_feed.h"

#include <utility>

namespace carme::backend {

JobSubscription::~JobSubscription() {
  absl::MutexLock lock(&feed_->mutex_);
  const auto watchers = feed_->watchers_.find(owner_);
  watchers->second.erase(this);
  if (watchers->second.empty()) feed_->watchers_.erase(watchers);
}

void JobSubscription::Add(const std::shared_ptr<const Job>& job) {
  if (!lost_) changed_.insert_or_assign(job->id, job);
  if (changed_.size() > JobFeed::kMaxKept) {
    lost_ = true;
    changed_.clear();
  }
  wake_();
}

JobUpdates JobSubscription::Drain() {
  std::map<JobId, std::shared_ptr<const Job>> changed;
  JobUpdates news;
  {
    absl::MutexLock lock(&feed_->mutex_);
    changed = std::exchange(changed_, {});
    news.lost = std::exchange(lost_, false);
    news.cluster_version = feed_->cluster_version_;
  }
  for (const auto& [id, job] : changed) news.jobs.push_back(*job);
  return news;
}

std::unique_ptr<JobSubscription> JobFeed::Subscribe(
    const std::string& owner, std::function<void()> wake) {
  std::unique_ptr<JobSubscription> subscription(
      new JobSubscription(this, owner, std::move(wake)));
  absl::MutexLock lock(&mutex_);
  watchers_[owner].insert(subscription.get());
  return subscription;
}

size_t JobFeed::WatchersOf(const std::string& owner) {
  absl::MutexLock lock(&mutex_);
  const auto watchers = watchers_.find(owner);
  return watchers == watchers_.end() ? 0 : watchers->second.size();
}

void JobFeed::Publish(const Job& job) {
  absl::MutexLock lock(&mutex_);
  const auto watchers = watchers_.find(job.owner);
  if (watchers == watchers_.end()) return;
  const auto shared = std::make_shared<const Job>(job);
  for (JobSubscription* watcher : watchers->second) watcher->Add(shared);
}

void JobFeed::PublishCluster(uint64_t version) {
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(cluster_version_, version) == version) return;
  }
  WakeAll();
}

void JobFeed::WakeAll() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [owner, watchers] : watchers_) {
    for (JobSubscription* watcher : watchers) watcher->wake_();
  }
}

}  // namespace carme::backend
