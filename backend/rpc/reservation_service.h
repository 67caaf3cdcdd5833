// carme.v1.ReservationService: who has which nodes when.
#ifndef CARME_BACKEND_RPC_RESERVATION_SERVICE_H_
#define CARME_BACKEND_RPC_RESERVATION_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/reservations/reservations.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Both outlive the service.
std::unique_ptr<grpc::Service> NewReservationService(Reservations* reservations,
                                                     AuditLog* audit);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_RESERVATION_SERVICE_H_
