#include "backend/storage/storage_cache.h"

#include <utility>

namespace carme::backend {

bool StorageCache::IsFresh(const Entry& entry) const {
  return clock_.Now() < entry.until;
}

absl::Status StorageCache::CheckLimits(const Entry& entry) const {
  if (in_flight_ < kMaxConcurrent && entry.in_flight < kMaxPerUser) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      "too many storage readings at the moment; try again");
}

void StorageCache::EvictExpired() {
  for (auto row = entries_.begin(); row != entries_.end();) {
    const Entry& entry = *row->second;
    const bool expired = entry.in_flight == 0 && !IsFresh(entry);
    row = expired ? entries_.erase(row) : std::next(row);
  }
}

void StorageCache::Read(const PosixUser& user, const std::string& request_id,
                        Entry* entry) {
  entry->is_reading = true;
  mutex_.Unlock();
  absl::StatusOr<std::vector<StorageArea>> areas =
      reader_.ReadStorageAsUser(user, request_id);
  mutex_.Lock();
  entry->is_reading = false;
  const absl::Time now = clock_.Now();
  if (areas.ok()) {
    entry->reading = StorageReading{.areas = *std::move(areas), .read_at = now};
  } else {
    entry->reading = areas.status();
  }
  entry->until = now + (entry->reading.ok() ? kFreshFor : kRetryAfter);
}

absl::StatusOr<StorageReading> StorageCache::Get(
    const PosixUser& user, const std::string& request_id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(user.uid.value());
  if (found != entries_.end() && IsFresh(*found->second)) {
    return found->second->reading;
  }
  if (found == entries_.end()) EvictExpired();
  std::unique_ptr<Entry>& slot = entries_[user.uid.value()];
  if (slot == nullptr) slot = std::make_unique<Entry>();
  Entry* const entry = slot.get();
  if (absl::Status admitted = CheckLimits(*entry); !admitted.ok())
    return admitted;
  ++in_flight_;
  ++entry->in_flight;
  const bool waited = entry->is_reading;
  mutex_.Await(absl::Condition(
      +[](Entry* it) { return !it->is_reading; }, entry));
  // A caller that waited takes the result of the reading that it waited for.
  if (!waited) Read(user, request_id, entry);
  absl::StatusOr<StorageReading> reading = entry->reading;
  --in_flight_;
  --entry->in_flight;
  return reading;
}

}  // namespace carme::backend
