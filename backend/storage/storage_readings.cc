#include "backend/storage/storage_readings.h"

#include <utility>

namespace carme::backend {

bool StorageReadings::IsFresh(const Kept& kept) const {
  return clock_.Now() < kept.until;
}

absl::Status StorageReadings::Enter(const Kept& kept) const {
  if (inside_ < kMaxInside && kept.inside < kMaxOfUser) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      "storage is being read for others: try again in a moment");
}

// Those whom nobody has asked about for a while.
void StorageReadings::Forget() {
  for (auto entry = kept_.begin(); entry != kept_.end();) {
    const Kept& kept = *entry->second;
    const bool old = kept.inside == 0 && !IsFresh(kept);
    entry = old ? kept_.erase(entry) : std::next(entry);
  }
}

void StorageReadings::Read(const PosixUser& user, const std::string& request_id,
                           Kept* kept) {
  kept->being_read = true;
  mutex_.Unlock();
  absl::StatusOr<std::vector<StorageArea>> areas =
      reader_.ReadStorageAsUser(user, request_id);
  mutex_.Lock();
  kept->being_read = false;
  const absl::Time now = clock_.Now();
  if (areas.ok()) {
    kept->reading = StorageReading{.areas = *std::move(areas), .read_at = now};
  } else {
    kept->reading = areas.status();
  }
  kept->until = now + (kept->reading.ok() ? kKept : kFailureKept);
}

absl::StatusOr<StorageReading> StorageReadings::Of(
    const PosixUser& user, const std::string& request_id) {
  absl::MutexLock lock(&mutex_);
  const auto found = kept_.find(user.uid.value());
  if (found != kept_.end() && IsFresh(*found->second)) {
    return found->second->reading;
  }
  if (found == kept_.end()) Forget();
  std::unique_ptr<Kept>& place = kept_[user.uid.value()];
  if (place == nullptr) place = std::make_unique<Kept>();
  Kept* const kept = place.get();
  if (absl::Status room = Enter(*kept); !room.ok()) return room;
  ++inside_;
  ++kept->inside;
  const bool waited = kept->being_read;
  mutex_.Await(absl::Condition(
      +[](Kept* it) { return !it->being_read; }, kept));
  // What somebody else has just read is this one's answer, however long it
  // took.
  if (!waited) Read(user, request_id, kept);
  absl::StatusOr<StorageReading> reading = kept->reading;
  --inside_;
  --kept->inside;
  return reading;
}

}  // namespace carme::backend
