// The calendar of a user's reservations for programs that subscribe to it:
// GET /calendar/reservations.ics?token=TOKEN[&cluster=NAME]. TOKEN is an access
// token with the scope "calendar:read", so that the address gives access
// to this calendar and to nothing else. It is in the query, which neither proxy
// nor frontend log.
//
// Thread-safe.
#ifndef CARME_FRONTEND_CALENDAR_HANDLER_H_
#define CARME_FRONTEND_CALENDAR_HANDLER_H_

#include <string>

#include "frontend/gateway/gateway.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

inline constexpr char kCalendarPath[] = "/calendar/reservations.ics";

class CalendarHandler {
 public:
  // `gateway` must outlive the object.
  explicit CalendarHandler(const Gateway* gateway) : gateway_(*gateway) {}

  // Handles a GET or HEAD of kCalendarPath. Blocks for one call of the gateway.
  // 404 with one text for everything that is wrong with an address; 429 and 5xx
  // if a program should ask again.
  HttpResponse Answer(const HttpRequest& request,
                      const std::string& request_id) const;

 private:
  const Gateway& gateway_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CALENDAR_HANDLER_H_
