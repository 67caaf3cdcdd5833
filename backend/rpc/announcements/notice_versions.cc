#include "backend/rpc/announcements/notice_versions.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {

uint64_t NoticeVersions::SharedVersion() const {
  const absl::Time now = parts_.clock->Now();
  std::vector<std::pair<std::string, absl::Time>> shown;
  for (const Announcement& one : parts_.announcements->All()) {
    if (IsShown(one, now)) shown.emplace_back(one.id, one.set_at);
  }
  const auto current = parts_.maintenance->Current();
  const MaintenanceWindow window = current.value_or(MaintenanceWindow());
  const bool is_in_effect = current.has_value() && IsInEffect(*current, now);
  return absl::HashOf(shown, window.message, window.starts_at, window.ends_at,
                      window.auto_end, is_in_effect);
}

bool NoticeVersions::FindEvents() {
  int64_t newest = 0;
  bool is_known = false;
  {
    absl::MutexLock lock(&mutex_);
    newest = newest_event_;
    is_known = is_known_;
  }
  std::vector<std::pair<uint32_t, int64_t>> found;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        // At first, which event is the newest; then those after it.
        ASSIGN_OR_RETURN(
            Statement rows,
            db.Prepare(
                is_known ? "SELECT uid, id FROM events WHERE id>?1 ORDER BY id"
                         : "SELECT 0, coalesce(max(id),?1) FROM events"));
        rows.Bind(1, newest);
        while (true) {
          ASSIGN_OR_RETURN(const bool has_row, rows.Step());
          if (!has_row) return absl::OkStatus();
          found.emplace_back(static_cast<uint32_t>(rows.Int(0)), rows.Int(1));
        }
      });
  if (!read.ok()) {
    LogError("looking for new notifications failed",
             {{"error", StatusText(read)}});
    return false;
  }
  absl::MutexLock lock(&mutex_);
  for (const auto& [uid, id] : found) {
    newest_event_ = id;
    if (is_known_) events_[uid] = id;
  }
  return !std::exchange(is_known_, true) || !found.empty();
}

bool NoticeVersions::Refresh() {
  const uint64_t shared = SharedVersion();
  const bool has_events = FindEvents();
  absl::MutexLock lock(&mutex_);
  const bool is_new = shared != std::exchange(shared_, shared);
  return is_new || has_events;
}

uint64_t NoticeVersions::For(Uid reader) const {
  const uint64_t reads = parts_.inbox->ReadsOf(reader);
  absl::MutexLock lock(&mutex_);
  if (!is_known_) return 0;
  const auto found = events_.find(reader.value());
  return absl::HashOf(shared_, reads,
                      found == events_.end() ? 0 : found->second);
}

}  // namespace carme::backend
