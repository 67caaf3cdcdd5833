// The reservations of the cluster, and those that people book by Carme. The
// record comes first: a booking is in the table before Slurm is asked, and is
// reconciled with what Slurm has afterwards.
#ifndef CARME_BACKEND_RESERVATIONS_RESERVATIONS_H_
#define CARME_BACKEND_RESERVATIONS_RESERVATIONS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/directory.h"
#include "backend/projects/project.h"
#include "backend/reservations/booking.h"
#include "backend/reservations/booking_rules.h"
#include "backend/reservations/reservations_config.h"
#include "backend/slurm/reserver.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// A reservation as somebody finds it.
struct ReservationView {
  std::string name{};  // Slurm's
  absl::Time starts_at{};
  absl::Time ends_at{};
  int nodes = 0;
  std::vector<std::string> node_names{};  // none: Slurm does not have it yet
  std::string partition{};
  bool for_maintenance = false;
  bool usable = false;  // jobs of theirs may run in it
  // Carme's own; absent also of others' that concern them not.
  std::optional<Booking> booking{};
  bool mine = false;
  bool may_cancel = false;
  std::vector<std::string> users{};  // for those who may cancel it
};

// Thread-safe. Errors are in words for the person; other words are for the log.
class Reservations {
 public:
  // All outlive the reservations.
  struct Parts {
    Database* database;
    const Clock* clock;
    Scheduler* scheduler;
    Reserver* reserver;
  };
  Reservations(const Parts& parts, ReservationsConfig config)
      : parts_(parts), config_(std::move(config)) {}

  struct Listing {
    std::vector<ReservationView> reservations{};  // by their start
    bool may_book = false;                        // something
    bool may_book_alone = false;                  // without a project
    std::vector<std::string> projects{};          // ids: for these
  };
  absl::StatusOr<Listing> List(const Person& person);

  // What Book would say, as far as it is known without Slurm.
  absl::StatusOr<BookingDecision> Preview(const Person& person,
                                          const BookingSpec& spec);

  // Blocks for one act of the reserver. The rules' codes;
  // FAILED_PRECONDITION, PERMISSION_DENIED, RESOURCE_EXHAUSTED: Slurm or the
  // impersonator refused, in their words; UNAVAILABLE: nothing was reserved.
  // When it is not known whether Slurm has it, it is returned as kBooking and
  // reconciled. The same key of the same person books once.
  absl::StatusOr<ReservationView> Book(const Person& person,
                                       const BookingSpec& spec,
                                       const std::string& key,
                                       const std::string& request_id);

  // Its owner, who manages its project, an administrator. NOT_FOUND: also of
  // what they do not see; FAILED_PRECONDITION: jobs run in it. Gives what was
  // cancelled; kCancelling: it is tried again until Slurm has it no more.
  absl::StatusOr<Booking> Cancel(const Person& person, const std::string& id,
                                 const std::string& request_id);

  // Compares the table with what Slurm has, and brings in line what differs:
  // answers that were lost, cancellations that are not done, who may use it,
  // reservations that are gone. Blocks for acts of the reserver. Call every few
  // seconds, from one thread.
  void Follow();

  const ReservationsConfig& config() const { return config_; }

 private:
  // Where somebody stands with a project, and who is in it.
  struct Standing {
    Place place = Place::kNone;
    bool is_active = false;
    std::vector<std::string> members{};
  };
  absl::StatusOr<Standing> StandingIn(Database& db, const std::string& project,
                                      Uid uid) const;
  absl::StatusOr<BookingDecision> Judge(Database& db, const Person& person,
                                        const BookingSpec& spec,
                                        Standing* standing) const;
  // `place`: the person's, in the booking's project. One of the two is given.
  static ReservationView ViewOf(const Person& person, Place place,
                                const SlurmReservation* slurm,
                                const Booking* booking);
  absl::StatusOr<NodeBooking> OrderOf(Database& db,
                                      const Booking& booking) const;
  void RefreshAfter(const absl::Status& answer);
  absl::Status Settle(const Booking& booking, const absl::Status& answer,
                      const std::string& request_id);
  absl::Status SettleCancel(const Booking& booking, const absl::Status& answer,
                            const std::string& request_id);

  // Of Follow().
  std::optional<Booking> ReadAgain(const std::string& id);
  void FollowOne(const Booking& booking, const SlurmSnapshot& seen);
  // `since`: how long after the booking's last change Slurm was asked.
  void FollowHidden(const Booking& booking, absl::Duration since);
  bool IsOfProjectThatIsOver(const Booking& booking);
  void EndWithProject(const Booking& booking);
  // Of a booking that Slurm has not; empty: its time is over.
  std::string WordsOfEnd(const Booking& booking) const;
  void Move(const Booking& booking, BookingState to, const std::string& news);
  void EndAgain(const Booking& booking);
  void LetIn(const Booking& booking, const SlurmReservation& slurm);
  bool IsDue(const std::string& id, absl::Duration between);
  absl::StatusOr<NodeBooking> ReadOrder(const Booking& booking);

  // Whose act is under way: Follow() leaves it alone.
  class UnderWay;

  const Parts parts_;
  const ReservationsConfig config_;
  absl::Mutex mutex_;
  std::set<std::string> under_way_ ABSL_GUARDED_BY(mutex_);
  // When Follow() tries again what did not work; its thread's alone.
  std::map<std::string, absl::Time> next_try_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATIONS_H_
