#include "backend/audit/event_folder.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme::backend {
namespace {

// Idempotent operations. A repeated submission has the key of the first one.
constexpr std::string_view kRepeatable[] = {"open-app", "cancel", "submit",
                                            "register-agent", "watch-routes"};

bool IsPerson(const AuditEvent& event) {
  return event.actor_uid != AuditEvent().actor_uid;
}

// The backend's own operations, such as the cancellation of an orphan, are not
// folded.
bool Folds(const AuditEvent& event) {
  if (event.decision == AuditDecision::kRefuse) return true;
  const bool has_doer = IsPerson(event) || !event.machine.empty();
  return has_doer && std::find(std::begin(kRepeatable), std::end(kRepeatable),
                               event.act) != std::end(kRepeatable);
}

std::string OriginOf(const AuditEvent& event) {
  if (IsPerson(event)) return absl::StrCat("uid ", event.actor_uid.value());
  return event.source.empty() ? event.machine : event.source;
}

// No field holds a zero byte: the texts were made printable before.
std::string FullKey(const AuditEvent& event) {
  return absl::StrJoin(
      {event.act, event.actor, absl::StrCat(event.actor_uid.value()),
       event.subject, event.result, event.source, event.machine,
       event.session_id},
      std::string(1, '\0'));
}

// The common fields of events with the same act and decision.
AuditEvent OnlyAct(const AuditEvent& event) {
  return {.act = event.act, .decision = event.decision};
}

AuditEvent OnlyActOfOrigin(const AuditEvent& event) {
  AuditEvent left = OnlyAct(event);
  left.actor_uid = event.actor_uid;
  left.machine = event.machine;
  if (IsPerson(event)) {
    left.actor = event.actor;
  } else {
    left.source = event.source;
  }
  return left;
}

std::string CountKey(const AuditEvent& event) {
  return absl::StrCat(event.act, "\n",
                      event.decision == AuditDecision::kAllow ? "+" : "-");
}

}  // namespace

bool EventFolder::HasSlot(const std::string& key, int slots,
                          absl::Time now) const {
  const auto taken = taken_until_.find(key);
  return taken == taken_until_.end() ||
         taken->second - now <= kSlotInterval * (slots - 1);
}

void EventFolder::TakeSlot(const std::string& key, absl::Time now) {
  absl::Time& until = taken_until_.try_emplace(key, now).first->second;
  until = std::max(until, now) + kSlotInterval;
}

std::string EventFolder::KeyOf(AuditEvent* event, bool* alike, absl::Time now) {
  const std::string full = FullKey(*event);
  if (minutes_.contains(full)) return full;
  // Each submission keeps its own entry; the impersonator limits their number.
  if (event->decision == AuditDecision::kAllow && event->act == "submit") {
    return full;
  }
  const bool is_person = IsPerson(*event);
  const std::string act = is_person ? "" : event->act;
  const std::string origin = absl::StrCat(act, "\n", OriginOf(*event));
  const bool fits = is_person || HasSlot(act, kSlotsPerAct, now);
  if (fits && HasSlot(origin, kSlotsPerOrigin, now)) {
    if (!is_person) TakeSlot(act, now);
    TakeSlot(origin, now);
    return full;
  }
  *alike = false;
  const std::string by_origin = absl::StrCat(CountKey(*event), "\n", origin);
  if (fits || minutes_.contains(by_origin)) {
    if (!is_person && !minutes_.contains(by_origin)) {
      TakeSlot(act, now);
    }
    *event = OnlyActOfOrigin(*event);
    return by_origin;
  }
  *event = OnlyAct(*event);
  return CountKey(*event);
}

std::optional<AuditEvent> EventFolder::Take(const AuditEvent& event,
                                            absl::Time now) {
  if (!Folds(event)) return event;
  Minute minute{.event = event, .begin = now};
  const std::string key = KeyOf(&minute.event, &minute.alike, now);
  const auto [place, fresh] = minutes_.try_emplace(key, std::move(minute));
  if (fresh) return event;
  ++place->second.more;
  return std::nullopt;
}

void EventFolder::Count(const AuditEvent& event, absl::Time now) {
  Minute& minute =
      minutes_
          .try_emplace(
              CountKey(event),
              Minute{.event = OnlyAct(event), .begin = now, .alike = false})
          .first->second;
  ++minute.more;
}

std::vector<AuditEvent> EventFolder::Ended(absl::Time now) {
  std::vector<AuditEvent> ended;
  for (auto row = minutes_.begin(); row != minutes_.end();) {
    const Minute& minute = row->second;
    // A start in the future means that the clock was set back.
    if (minute.begin <= now && now - minute.begin < kWindow) {
      ++row;
      continue;
    }
    if (minute.more > 0) ended.push_back(Summary(minute));
    row = minutes_.erase(row);
  }
  // A time after the last slot means that the clock was set back.
  const absl::Time latest = now + kSlotInterval * kSlotsPerAct;
  std::erase_if(taken_until_, [&](const auto& row) {
    return row.second <= now || row.second > latest;
  });
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

}  // namespace carme::backend
