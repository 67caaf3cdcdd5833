// The calendar of a user's reservations.
#ifndef CARME_BACKEND_RPC_CALENDAR_RESERVATION_CALENDAR_SERVICE_H_
#define CARME_BACKEND_RPC_CALENDAR_RESERVATION_CALENDAR_SERVICE_H_

#include <memory>

#include "backend/reservations/reservations.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// `reservations` must outlive the service.
std::unique_ptr<grpc::Service> NewReservationCalendarService(
    Reservations* reservations);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CALENDAR_RESERVATION_CALENDAR_SERVICE_H_
