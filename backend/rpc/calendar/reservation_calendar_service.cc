#include "backend/rpc/calendar/reservation_calendar_service.h"

#include <grpcpp/server_context.h>

#include "backend/reservations/calendar.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "carme/v1/reservation_calendar.grpc.pb.h"
#include "common/grpc/grpc_status.h"

namespace carme::backend {
namespace {

class ReservationCalendarService
    : public v1::ReservationCalendarService::Service {
 public:
  explicit ReservationCalendarService(Reservations* reservations)
      : reservations_(*reservations) {}

  grpc::Status GetReservationCalendar(
      grpc::ServerContext* context,
      const v1::GetReservationCalendarRequest* /*request*/,
      v1::GetReservationCalendarResponse* response) override {
    const Caller caller = CallerOf(*context);
    Person reader = PersonOf(caller.session);
    // The calendar of an administrator has only the administrator's own, too:
    // its address may be known to programs that need no more.
    reader.role = Role::kUser;
    const absl::StatusOr<Reservations::Listing> listing =
        reservations_.List(reader);
    if (!listing.ok()) {
      return ToGrpc(ClientError(listing.status(), caller, "reservations"));
    }
    response->set_icalendar(CalendarOf(listing->reservations));
    return grpc::Status::OK;
  }

 private:
  Reservations& reservations_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewReservationCalendarService(
    Reservations* reservations) {
  return std::make_unique<ReservationCalendarService>(reservations);
}

}  // namespace carme::backend
