#include "backend/reservations/calendar.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace carme::backend {
namespace {

ReservationView Reserved(const std::string& title) {
  ReservationView view;
  view.name = "carme-a000000000000001";
  view.starts_at = absl::FromUnixSeconds(1795946400);  // 2026-11-29 10:00
  view.ends_at = view.starts_at + absl::Hours(2);
  view.nodes = 2;
  view.node_names = {"n1", "n2"};
  view.partition = "main";
  view.reservation =
      Reservation{.id = "a000000000000001",
                  .owner = "ada",
                  .spec = {.title = title},
                  .state = v1::RESERVATION_STATE_CONFIRMED,
                  .changed_at = view.starts_at - absl::Hours(24)};
  return view;
}

// The calendar with unfolded lines.
std::vector<std::string> LinesOf(const std::vector<ReservationView>& views) {
  std::string text = CalendarOf(views);
  for (size_t at = 0; (at = text.find("\r\n ", at)) != std::string::npos;) {
    text.erase(at, 3);
  }
  return absl::StrSplit(text, "\r\n");
}

bool Has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST_CASE("calendar: a title cannot add a property or an event", "[backend]") {
  const std::string title = "x\r\nEND:VEVENT\nATTENDEE:y\x01";
  const std::vector<std::string> lines = LinesOf({Reserved(title)});
  CHECK(Has(lines, "SUMMARY:x?\\nEND:VEVENT\\nATTENDEE:y?"));
  CHECK(std::count(lines.begin(), lines.end(), "END:VEVENT") == 1);
}

TEST_CASE("calendar: has no reservations without details", "[backend]") {
  ReservationView other = Reserved("Secret");
  other.reservation.reset();
  CHECK_FALSE(Has(LinesOf({other}), "BEGIN:VEVENT"));
}

TEST_CASE("calendar: has a limit", "[backend]") {
  const std::vector<std::string> lines = LinesOf(
      std::vector<ReservationView>(kMaxCalendarEvents + 1, Reserved("x")));
  CHECK(std::count(lines.begin(), lines.end(), "BEGIN:VEVENT") ==
        std::ptrdiff_t{kMaxCalendarEvents});
  CHECK(lines[lines.size() - 2] == "END:VCALENDAR");
}

TEST_CASE("calendar: escapes text", "[backend]") {
  CHECK(CalendarText("") == "");
  CHECK(CalendarText("a,b;c\\d:\"e\"") == "a\\,b\\;c\\\\d:\"e\"");
  CHECK(CalendarText("a\nb\n") == "a\\nb\\n");
  CHECK(CalendarText("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(CalendarText("\xff") == "?");
}

TEST_CASE("calendar: folds lines after 75 bytes, between characters",
          "[backend]") {
  CHECK(CalendarLine("") == "\r\n");
  CHECK(CalendarLine(std::string(75, 'x')) == std::string(75, 'x') + "\r\n");
  CHECK(CalendarLine(std::string(76, 'x')) ==
        std::string(75, 'x') + "\r\n x\r\n");
  CHECK(CalendarLine(std::string(75 + 74 + 1, 'x')) ==
        std::string(75, 'x') + "\r\n " + std::string(74, 'x') + "\r\n x\r\n");
  // A character of two bytes at the fold.
  CHECK(CalendarLine(std::string(74, 'x') + "\xc3\xa9" + "y") ==
        std::string(74, 'x') + "\r\n \xc3\xa9y\r\n");
  std::string smileys;
  for (int i = 0; i < 50; ++i) smileys += "\xf0\x9f\x98\x80";
  for (const absl::string_view line :
       absl::StrSplit(CalendarLine(smileys), "\r\n")) {
    CHECK(line.size() <= 75);
    CHECK(line.size() % 4 <= 1);  // whole characters, and a space
  }
}

TEST_CASE("calendar: an event has the times in UTC and what is reserved",
          "[backend]") {
  const std::vector<std::string> lines = LinesOf({Reserved("Class 3, part 1")});
  for (const char* line :
       {"BEGIN:VCALENDAR", "VERSION:2.0", "UID:carme-a000000000000001",
        "DTSTAMP:20261128T100000Z", "DTSTART:20261129T100000Z",
        "DTEND:20261129T120000Z", "SUMMARY:Class 3\\, part 1",
        "DESCRIPTION:2 nodes: n1\\, n2\\npartition main\\nreserved by "
        "ada\\nreservation carme-a000000000000001",
        "STATUS:CONFIRMED", "TRANSP:TRANSPARENT", "END:VCALENDAR"}) {
    CAPTURE(line);
    CHECK(Has(lines, line));
  }
}

TEST_CASE("calendar: says whether a reservation is certain", "[backend]") {
  ReservationView view = Reserved("x");
  view.reservation->state = v1::RESERVATION_STATE_CREATING;
  CHECK(Has(LinesOf({view}), "STATUS:TENTATIVE"));
  view.reservation->state = v1::RESERVATION_STATE_CANCELLING;
  CHECK(Has(LinesOf({view}), "STATUS:CANCELLED"));
  view.ends_at = absl::InfiniteFuture();
  for (const std::string& line : LinesOf({view})) {
    CHECK_FALSE(line.rfind("DTEND", 0) == 0);
  }
}

}  // namespace
}  // namespace carme::backend
