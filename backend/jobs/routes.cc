#include "backend/jobs/routes.h"

#include <cstddef>

namespace carme {
namespace {

constexpr size_t kMostKept = 4096;  // changes a subscription

}  // namespace

RouteSubscription::~RouteSubscription() {
  absl::MutexLock lock(&routes_->mutex_);
  routes_->watchers_.erase(this);
}

void RouteSubscription::Wake() {
  if (changed_.size() + revoked_.size() > kMostKept) return TakeEverything();
  wake_();
}

void RouteSubscription::TakeEverything() {
  everything_ = true;
  changed_.clear();
  revoked_.clear();
  wake_();
}

RouteNews RouteSubscription::Take() {
  absl::MutexLock lock(&routes_->mutex_);
  const auto changed = std::exchange(changed_, {});
  auto revoked = std::exchange(revoked_, {});
  if (std::exchange(everything_, false)) return routes_->Everything();
  RouteNews news;
  news.revoked = std::move(revoked);
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
  const auto [place, fresh] = endpoints_.try_emplace(job, endpoint);
  if (!fresh && place->second == endpoint) return;
  place->second = endpoint;
  Change(job, endpoint);
}

void Routes::Remove(const JobId& job) {
  absl::MutexLock lock(&mutex_);
  if (endpoints_.erase(job) != 0) Change(job, std::nullopt);
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
  for (RouteSubscription* watcher : watchers_) {
    if (watcher->everything_) continue;
    watcher->revoked_.push_back(session);
    watcher->Wake();
  }
}

void Routes::Restore(const SessionId& session) {
  absl::MutexLock lock(&mutex_);
  if (revoked_.erase(session) == 0) return;
  for (RouteSubscription* watcher : watchers_) watcher->TakeEverything();
}

RouteNews Routes::Everything() {
  RouteNews news;
  news.snapshot = true;
  news.routes.assign(endpoints_.begin(), endpoints_.end());
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

}  // namespace carme
