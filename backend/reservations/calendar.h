// Reservations as a calendar (RFC 5545). Pure functions.
#ifndef CARME_BACKEND_RESERVATIONS_CALENDAR_H_
#define CARME_BACKEND_RESERVATIONS_CALENDAR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backend/reservations/reservations.h"

namespace carme::backend {

inline constexpr size_t kMaxCalendarEvents = 1000;

// A value of type TEXT (RFC 5545, section 3.3.11): backslashes, commas,
// semicolons and line ends are escaped. Characters that are unsafe to show
// become '?'.
std::string CalendarText(std::string_view text);

// A content line with its CRLF, folded after at most 75 bytes (section 3.1)
// between two characters. REQUIRES: UTF-8 without line ends.
std::string CalendarLine(std::string_view line);

// The events of the reservations that have details; the others are skipped.
std::string CalendarOf(const std::vector<ReservationView>& reservations);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_CALENDAR_H_
