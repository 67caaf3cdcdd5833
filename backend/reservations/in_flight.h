// Guard: the reservation on which a call is in progress.
#ifndef CARME_BACKEND_RESERVATIONS_IN_FLIGHT_H_
#define CARME_BACKEND_RESERVATIONS_IN_FLIGHT_H_

#include <string>

#include "backend/reservations/reservations.h"

namespace carme::backend {

class Reservations::InFlight {
 public:
  InFlight(Reservations* reservations, std::string id)
      : reservations_(*reservations), id_(std::move(id)) {
    absl::MutexLock lock(&reservations_.mutex_);
    added_ = reservations_.in_flight_.insert(id_).second;
  }
  ~InFlight() {
    absl::MutexLock lock(&reservations_.mutex_);
    if (added_) reservations_.in_flight_.erase(id_);
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  // No other call is in progress on it.
  bool is_only() const { return added_; }

 private:
  Reservations& reservations_;
  const std::string id_;
  bool added_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_IN_FLIGHT_H_
