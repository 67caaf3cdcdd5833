#include "backend/storage/storage_cache.h"

#include <utility>

#include "backend/storage/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

bool StorageCache::IsFresh(const Entry& entry) const {
  return clock_.Now() < entry.until;
}

void StorageCache::EvictExpired() {
  absl::erase_if(entries_, [this](const auto& row) {
    mutex_.AssertHeld();
    return calls_.CountOf(row.first) == 0 && !IsFresh(*row.second);
  });
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
  const auto found = entries_.find(user.uid);
  if (found != entries_.end() && IsFresh(*found->second)) {
    return found->second->reading;
  }
  if (found == entries_.end()) EvictExpired();
  const auto slot = calls_.TryAcquire(user.uid);
  if (!slot.acquired()) {
    return MakeError(storage_messages::kTooManyReadings);
  }
  std::unique_ptr<Entry>& stored = entries_[user.uid];
  if (stored == nullptr) stored = std::make_unique<Entry>();
  Entry* const entry = stored.get();
  const bool waited = entry->is_reading;
  mutex_.Await(absl::Condition(
      +[](Entry* it) { return !it->is_reading; }, entry));
  // A caller that waited takes the result of the reading that it waited for.
  if (!waited) Read(user, request_id, entry);
  return entry->reading;
}

}  // namespace carme::backend
