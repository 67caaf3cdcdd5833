// Conversion of reservations to messages of carme.v1.
#ifndef CARME_BACKEND_RPC_CONVERT_RESERVATION_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_RESERVATION_PROTO_H_

#include "backend/reservations/reservations.h"

namespace carme::v1 {
class Reservation;
}  // namespace carme::v1

namespace carme::backend {

void Fill(const ReservationView& view, v1::Reservation* row);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_RESERVATION_PROTO_H_
