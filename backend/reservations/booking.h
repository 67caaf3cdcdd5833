// A reservation that somebody has booked by Carme: plain values.
#ifndef CARME_BACKEND_RESERVATIONS_BOOKING_H_
#define CARME_BACKEND_RESERVATIONS_BOOKING_H_

#include <string>

#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::backend {

// What somebody asks for.
struct BookingSpec {
  std::string title{};
  std::string project{};    // its id; empty: for its owner alone
  std::string partition{};  // empty: the cluster's default
  int nodes = 1;
  absl::Time starts_at{};     // whole minutes
  absl::Duration duration{};  // likewise
  friend bool operator==(const BookingSpec&, const BookingSpec&) = default;
};

// These numbers stand in the table, and are carme.v1.BookingState's.
enum class BookingState {
  kBooking = 1,     // recorded; Slurm may have it
  kBooked = 2,      // Slurm has it
  kCancelling = 3,  // Slurm may have it still
  kOver = 4,        // and is nobody's any more
};

struct Booking {
  std::string id{};  // 16 of [a-z0-9]
  std::string owner{};
  Uid owner_uid{};
  BookingSpec spec{};
  BookingState state = BookingState::kBooking;
  absl::Time changed_at{};  // the state
};

// Slurm's name of it.
inline std::string SlurmNameOf(const Booking& booking) {
  return "carme-" + booking.id;
}
inline absl::Time EndOf(const BookingSpec& spec) {
  return spec.starts_at + spec.duration;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_BOOKING_H_
