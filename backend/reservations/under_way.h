// A booking that somebody acts on just now.
#ifndef CARME_BACKEND_RESERVATIONS_UNDER_WAY_H_
#define CARME_BACKEND_RESERVATIONS_UNDER_WAY_H_

#include <string>

#include "backend/reservations/reservations.h"

namespace carme::backend {

class Reservations::UnderWay {
 public:
  UnderWay(Reservations* reservations, std::string id)
      : reservations_(*reservations), id_(std::move(id)) {
    absl::MutexLock lock(&reservations_.mutex_);
    added_ = reservations_.under_way_.insert(id_).second;
  }
  ~UnderWay() {
    absl::MutexLock lock(&reservations_.mutex_);
    if (added_) reservations_.under_way_.erase(id_);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  // Nobody else acts on it.
  bool alone() const { return added_; }

 private:
  Reservations& reservations_;
  const std::string id_;
  bool added_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_UNDER_WAY_H_
