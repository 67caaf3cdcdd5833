#include "frontend/calendar_handler.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "carme/v1/reservation_calendar.pb.h"
#include "common/log.h"
#include "common/name_rules.h"
#include "frontend/gateway/bearer_token.h"
#include "frontend/gateway/json_codec.h"

namespace carme::frontend {
namespace {

constexpr char kMethod[] =
    "/carme.v1.ReservationCalendarService/GetReservationCalendar";
// Headers of the request that the call has, too. Not cookies: the address alone
// decides whose calendar it is.
constexpr std::array<std::string_view, 4> kKeptHeaders = {
    "x-forwarded-for", "user-agent", "traceparent", "x-request-id"};

struct CalendarAddress {
  std::string token;
  std::string cluster;  // empty: the first one
};

// Nothing: not an address of a calendar. No value needs percent-encoding.
std::optional<CalendarAddress> ParseAddress(const std::string& query) {
  CalendarAddress address;
  for (const absl::string_view field : absl::StrSplit(query, '&')) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(field, absl::MaxSplits('=', 1));
    const auto& [name, value] = parts;
    if (name == "token" && address.token.empty()) {
      address.token = value;
    } else if (name == "cluster" && address.cluster.empty() &&
               kSlurmNameRule.Allows(value)) {
      address.cluster = value;
    } else {
      return std::nullopt;
    }
  }
  if (!IsAccessToken(address.token)) return std::nullopt;
  return address;
}

HttpRequest CallFor(const HttpRequest& request,
                    const CalendarAddress& address) {
  HttpRequest call{.method = "POST",
                   .path = kMethod,
                   .headers = {},
                   .body = "{}",
                   .peer = request.peer,
                   .from_proxy = request.from_proxy};
  for (const std::string_view name : kKeptHeaders) {
    const std::string* value = request.headers.Find(name);
    if (value != nullptr) call.headers.Set(name, *value);
  }
  call.headers.Set("content-type", "application/json");
  call.headers.Set("authorization", absl::StrCat("Bearer ", address.token));
  if (!address.cluster.empty()) {
    call.headers.Set("carme-cluster", address.cluster);
  }
  return call;
}

HttpResponse Text(int status, std::string body) {
  HttpResponse response{.status = status, .body = std::move(body)};
  response.Set("Content-Type", "text/plain; charset=utf-8");
  response.Set("Cache-Control", "no-store");
  return response;
}

// The same for each reason, so that it tells nothing about tokens or clusters.
HttpResponse NoCalendar() {
  return Text(404,
              "This calendar does not exist or is no longer shared. Copy its "
              "address from the portal again.\n");
}

HttpResponse TryAgain(int status) {
  HttpResponse response =
      Text(status, "The calendar is not available now. Try again later.\n");
  response.Set("Retry-After", "300");
  return response;
}

}  // namespace

HttpResponse CalendarHandler::Answer(const HttpRequest& request,
                                     const std::string& request_id) const {
  const std::optional<CalendarAddress> address = ParseAddress(request.query);
  if (!address) return NoCalendar();
  const HttpResponse answer =
      gateway_.Answer(CallFor(request, *address), request_id);
  if (answer.status == 429 || answer.status >= 500) {
    return TryAgain(answer.status);
  }
  if (answer.status != 200) return NoCalendar();
  v1::GetReservationCalendarResponse calendar;
  if (const absl::Status parsed = ParseJson(answer.body, &calendar);
      !parsed.ok()) {
    LogError("invalid calendar", {{"request", request_id},
                                  {"error", std::string(parsed.message())}});
    return TryAgain(502);
  }
  HttpResponse response{.body = std::move(*calendar.mutable_icalendar())};
  response.Set("Content-Type", "text/calendar; charset=utf-8");
  response.Set("Content-Disposition",
               "attachment; filename=\"carme-reservations.ics\"");
  response.Set("Cache-Control", "no-store");
  return response;
}

}  // namespace carme::frontend
