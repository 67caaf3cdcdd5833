#include "proxy/upstream/keyed_semaphore.h"

namespace carme::proxy {

bool KeyedSemaphore::TryAcquire(const std::string& key) {
  Entry& entry = entries_[key];
  if (entry.taken >= max_per_key_) return false;
  ++entry.taken;
  return true;
}

void KeyedSemaphore::Wake(Entry* entry, const absl::Status& status) {
  Waiter* next = entry->waiting.front();
  entry->waiting.pop_front();
  next->status = status;
  loop_.Schedule(next->waiter);
}

void KeyedSemaphore::Release(const std::string& key,
                             const absl::Status& for_others) {
  auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  --entry.taken;
  if (!entry.waiting.empty()) Wake(&entry, for_others);
  while (!for_others.ok() && !entry.waiting.empty()) Wake(&entry, for_others);
  if (entry.taken == 0 && entry.waiting.empty()) entries_.erase(found);
}

void KeyedSemaphore::WakeOne(const std::string& key) {
  if (entries_.empty()) return;  // the usual case
  auto found = entries_.find(key);
  if (found == entries_.end() || found->second.waiting.empty()) return;
  Wake(&found->second, absl::OkStatus());
}

}  // namespace carme::proxy
