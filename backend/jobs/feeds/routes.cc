#include "backend/jobs/feeds/routes.h"

#include <cstddef>

namespace carme::backend {
namespace {

constexpr size_t kMaxKept = 4096;  // changes per subscription
// How long ends are sent: as long as proxies keep routes without updates.
constexpr absl::Duration kEndRetention = absl::Hours(24);
constexpr size_t kMaxEnds = 20'000;

template <typename Id>
void Drop(std::deque<std::pair<absl::Time, Id>>& ends, absl::Time before) {
  while (!ends.empty() &&
         (ends.front().first < before || ends.size() > kMaxEnds)) {
    ends.pop_front();
  }
}

}  // namespace

RouteSubscription::~RouteSubscription() {
  absl::MutexLock lock(&routes_->mutex_);
  routes_->watchers_.erase(this);
}

void RouteSubscription::Wake() {
  if (changed_.size() + revoked_.size() + restored_.size() > kMaxKept) {
    return TakeEverything();
  }
  wake_();
}

void RouteSubscription::TakeEverything() {
  everything_ = true;
  changed_.clear();
  revoked_.clear();
  restored_.clear();
  statuses_.clear();
  wake_();
}

RouteUpdates RouteSubscription::Drain() {
  absl::MutexLock lock(&routes_->mutex_);
  const auto changed = std::exchange(changed_, {});
  auto revoked = std::exchange(revoked_, {});
  auto restored = std::exchange(restored_, {});
  auto statuses = std::exchange(statuses_, {});
  if (std::exchange(everything_, false)) return routes_->Everything();
  RouteUpdates news;
  news.revoked = std::move(revoked);
  news.restored = std::move(restored);
  news.statuses = std::move(statuses);
  for (const auto& [job, endpoint] : changed) {
    if (endpoint) {
      news.routes.emplace_back(job, *endpoint);
    } else {
      news.removed.push_back(job);
    }
  }
  return news;
}

void Routes::Set(const JobId& job, const AgentEndpoint& endpoint) {
  absl::MutexLock lock(&mutex_);
  Place(job, endpoint);
}

void Routes::Place(const JobId& job, const AgentEndpoint& endpoint) {
  const auto [place, fresh] = endpoints_.try_emplace(job, endpoint);
  if (!fresh && place->second == endpoint) return;
  place->second = endpoint;
  Change(job, endpoint);
}

void Routes::Remove(const JobId& job) {
  absl::MutexLock lock(&mutex_);
  if (endpoints_.erase(job) == 0) return;
  Remember(job);
  Change(job, std::nullopt);
}

void Routes::Remember(const JobId& job) {
  ended_.emplace_back(clock_->Now(), job);
  DropOldEnds();
}

void Routes::DropOldEnds() {
  const absl::Time before = clock_->Now() - kEndRetention;
  Drop(ended_, before);
  Drop(restored_, before);
}

void Routes::Show(const JobId& job,
                  const std::optional<AgentEndpoint>& endpoint,
                  const JobStatus& status) {
  absl::MutexLock lock(&mutex_);
  std::vector<std::pair<JobId, JobStatus>> changed;
  statuses_.Set(job, status, clock_->Now(),
                [&](const JobId& id, const JobStatus& now) {
                  changed.emplace_back(id, now);
                });
  for (RouteSubscription* watcher : watchers_) {
    if (watcher->everything_ || changed.empty()) continue;
    for (const auto& [id, now] : changed) {
      watcher->statuses_.insert_or_assign(id, now);
    }
    watcher->wake_();
  }
  if (endpoint) {
    Place(job, *endpoint);
  } else if (endpoints_.erase(job) != 0) {
    Remember(job);
    Change(job, std::nullopt);
  }
}

void Routes::Change(const JobId& job,
                    const std::optional<AgentEndpoint>& endpoint) {
  for (RouteSubscription* watcher : watchers_) {
    if (watcher->everything_) continue;
    watcher->changed_.insert_or_assign(job, endpoint);
    watcher->Wake();
  }
}

void Routes::Revoke(const EndedSession& session) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_->Now();
  std::erase_if(revoked_, [&](const auto& row) { return row.second < now; });
  if (session.forget_after < now) return;
  revoked_.insert_or_assign(session.id, session.forget_after);
  std::erase_if(restored_,
                [&](const auto& row) { return row.second == session.id; });
  for (RouteSubscription* watcher : watchers_) {
    if (watcher->everything_) continue;
    std::erase(watcher->restored_, session.id);
    watcher->revoked_.push_back(session);
    watcher->Wake();
  }
}

void Routes::Restore(const SessionId& session) {
  absl::MutexLock lock(&mutex_);
  if (revoked_.erase(session) == 0) return;
  restored_.emplace_back(clock_->Now(), session);
  DropOldEnds();
  for (RouteSubscription* watcher : watchers_) {
    if (watcher->everything_) continue;
    std::erase_if(watcher->revoked_,
                  [&](const auto& row) { return row.id == session; });
    watcher->restored_.push_back(session);
    watcher->Wake();
  }
}

RouteUpdates Routes::Everything() {
  RouteUpdates news;
  news.snapshot = true;
  news.routes.assign(endpoints_.begin(), endpoints_.end());
  DropOldEnds();
  for (const auto& [when, job] : ended_) {
    if (!endpoints_.contains(job)) news.removed.push_back(job);
  }
  for (const auto& [when, id] : restored_) news.restored.push_back(id);
  news.statuses = statuses_.all();
  const absl::Time now = clock_->Now();
  for (const auto& [id, forget_after] : revoked_) {
    if (forget_after >= now) news.revoked.push_back({id, forget_after});
  }
  return news;
}

std::unique_ptr<RouteSubscription> Routes::Subscribe(
    std::function<void()> wake) {
  std::unique_ptr<RouteSubscription> subscription(
      new RouteSubscription(this, std::move(wake)));
  absl::MutexLock lock(&mutex_);
  watchers_.insert(subscription.get());
  return subscription;
}

}  // namespace carme::backend
