#include "backend/audit/event_folder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme {
namespace {

std::string OriginOf(const AuditEvent& event) {
  if (!event.session_id.empty()) return event.session_id;
  return event.source.empty() ? event.machine : event.source;
}

// No field holds a zero byte: they are made readable before.
std::string FullKey(const AuditEvent& event) {
  return absl::StrJoin({event.act, event.actor, event.subject, event.result,
                        event.source, event.machine, event.session_id},
                       std::string(1, '\0'));
}

// What is left of events that have no more in common than this.
AuditEvent OnlyAct(const AuditEvent& event) {
  return {.act = event.act, .decision = event.decision};
}

AuditEvent OnlyActOfOrigin(const AuditEvent& event) {
  AuditEvent left = OnlyAct(event);
  left.source = event.source;
  left.machine = event.machine;
  left.session_id = event.session_id;
  return left;
}

std::string CountKey(const AuditEvent& event) {
  return absl::StrCat(event.act, "\n",
                      event.decision == AuditDecision::kAllow ? "+" : "-");
}

}  // namespace

std::string EventFolder::KeyOf(const std::string& origin, AuditEvent* event,
                               bool* alike) const {
  const std::string full = FullKey(*event);
  if (minutes_.contains(full)) return full;
  const auto of_origin = origins_.find(origin);
  const bool origin_fits =
      of_origin == origins_.end() || of_origin->second < kMostOfOrigin;
  const bool fits = minutes_.size() < kMostInAll;
  if (fits && origin_fits) return full;
  *alike = false;
  const std::string by_origin = absl::StrCat(CountKey(*event), "\n", origin);
  if (fits || minutes_.contains(by_origin)) {
    *event = OnlyActOfOrigin(*event);
    return by_origin;
  }
  *event = OnlyAct(*event);
  return CountKey(*event);
}

std::optional<AuditEvent> EventFolder::Take(const AuditEvent& event,
                                            absl::Time now) {
  if (event.decision == AuditDecision::kAllow) return event;
  Minute minute{.event = event, .begin = now, .origin = OriginOf(event)};
  const std::string key = KeyOf(minute.origin, &minute.event, &minute.alike);
  const auto [place, fresh] = minutes_.try_emplace(key, std::move(minute));
  if (!fresh) {
    ++place->second.more;
    return std::nullopt;
  }
  ++origins_[place->second.origin];
  return event;
}

void EventFolder::Count(const AuditEvent& event, absl::Time now) {
  const auto [place, fresh] = minutes_.try_emplace(
      CountKey(event),
      Minute{
          .event = OnlyAct(event), .begin = now, .origin = "", .alike = false});
  if (fresh) ++origins_[""];
  ++place->second.more;
}

std::vector<AuditEvent> EventFolder::Ended(absl::Time now) {
  std::vector<AuditEvent> ended;
  for (auto row = minutes_.begin(); row != minutes_.end();) {
    const Minute& minute = row->second;
    // One that begins in the future: the clock was set back.
    if (minute.begin <= now && now - minute.begin < kWindow) {
      ++row;
      continue;
    }
    const auto origin = origins_.find(minute.origin);
    if (--origin->second == 0) origins_.erase(origin);
    if (minute.more > 0) ended.push_back(Summary(minute));
    row = minutes_.erase(row);
  }
  return ended;
}

AuditEvent EventFolder::Summary(const Minute& minute) {
  AuditEvent event = minute.event;
  event.result = absl::StrCat(
      minute.more, minute.alike ? " more like this" : " more of this act",
      " since ",
      absl::FormatTime("%H:%M:%SZ", minute.begin, absl::UTCTimeZone()),
      minute.alike ? ": " : "", minute.event.result);
  return event;
}

}  // namespace carme
