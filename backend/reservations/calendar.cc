#include "backend/reservations/calendar.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxLineBytes = 75;
constexpr size_t kMaxTextBytes = 8192;

// RFC 7986: how often programs should ask.
constexpr char kHead[] =
    "BEGIN:VCALENDAR\r\n"
    "VERSION:2.0\r\n"
    "PRODID:-//Carme//Reservations//EN\r\n"
    "CALSCALE:GREGORIAN\r\n"
    "NAME:Carme reservations\r\n"
    "X-WR-CALNAME:Carme reservations\r\n"
    "REFRESH-INTERVAL;VALUE=DURATION:PT30M\r\n"
    "X-PUBLISHED-TTL:PT30M\r\n";
constexpr char kTail[] = "END:VCALENDAR\r\n";

std::string DateTime(absl::Time time) {
  return absl::FormatTime("%Y%m%dT%H%M%SZ", time, absl::UTCTimeZone());
}

const char* EventStatusOf(ReservationState state) {
  switch (state) {
    case v1::RESERVATION_STATE_CREATING:
      return "TENTATIVE";
    case v1::RESERVATION_STATE_CANCELLING:
    case v1::RESERVATION_STATE_ENDED:
      return "CANCELLED";
    default:
      return "CONFIRMED";
  }
}

// Lines for people.
std::string DescriptionOf(const ReservationView& view) {
  std::string text =
      absl::StrCat(view.nodes, view.nodes == 1 ? " node" : " nodes");
  if (!view.node_names.empty()) {
    absl::StrAppend(&text, ": ", absl::StrJoin(view.node_names, ", "));
  }
  if (!view.partition.empty()) {
    absl::StrAppend(&text, "\npartition ", view.partition);
  }
  absl::StrAppend(&text, "\nreserved by ", view.reservation->owner,
                  "\nreservation ", view.name);
  return text;
}

void AddEvent(const ReservationView& view, std::string* calendar) {
  const auto add = [&](std::string_view name, std::string_view value) {
    calendar->append(
        CalendarLine(absl::StrCat(std::string(name), std::string(value))));
  };
  add("BEGIN:VEVENT", "");
  // Random, so that it is unique among calendars.
  add("UID:", SlurmNameOf(*view.reservation));
  add("DTSTAMP:", DateTime(view.reservation->changed_at));
  add("DTSTART:", DateTime(view.starts_at));
  if (view.ends_at != absl::InfiniteFuture()) {
    add("DTEND:", DateTime(view.ends_at));
  }
  add("SUMMARY:", CalendarText(view.reservation->spec.title));
  add("DESCRIPTION:", CalendarText(DescriptionOf(view)));
  add("STATUS:", EventStatusOf(view.reservation->state));
  // Nodes are reserved, not the time of their users.
  add("TRANSP:", "TRANSPARENT");
  add("END:VEVENT", "");
}

}  // namespace

std::string CalendarText(std::string_view text) {
  std::string escaped;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (line.data() != text.data()) escaped.append("\\n");
    for (const char c :
         Readable(std::string_view(line.data(), line.size()), kMaxTextBytes)) {
      if (c == '\\' || c == ',' || c == ';') escaped.push_back('\\');
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string CalendarLine(std::string_view line) {
  std::string folded;
  size_t max = kMaxLineBytes;
  while (line.size() > max) {
    // Not within a character.
    const size_t part = max - CutOffBehind(line.substr(0, max));
    absl::StrAppend(&folded, std::string(line.substr(0, part)), "\r\n ");
    line.remove_prefix(part);
    max = kMaxLineBytes - 1;  // the space counts
  }
  absl::StrAppend(&folded, std::string(line), "\r\n");
  return folded;
}

std::string CalendarOf(const std::vector<ReservationView>& reservations) {
  std::string calendar = kHead;
  size_t events = 0;
  for (const ReservationView& view : reservations) {
    if (!view.reservation || view.starts_at == absl::InfinitePast()) continue;
    if (++events > kMaxCalendarEvents) break;
    AddEvent(view, &calendar);
  }
  calendar += kTail;
  return calendar;
}

}  // namespace carme::backend
