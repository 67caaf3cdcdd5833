// The reservations of the cluster, and those made through Carme. A reservation
// is recorded in the table before the request to Slurm, and reconciled with
// Slurm afterwards.
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
#include "backend/identity/person.h"
#include "backend/projects/project.h"
#include "backend/reservations/reservation.h"
#include "backend/reservations/reservation_rules.h"
#include "backend/reservations/reservations_config.h"
#include "backend/slurm/reserver.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/message.h"

namespace carme::backend {

// A reservation as shown to one user.
struct ReservationView {
  std::string name{};  // Slurm's
  absl::Time starts_at{};
  absl::Time ends_at{};
  int nodes = 0;
  std::vector<std::string> node_names{};  // none: Slurm does not have it yet
  std::string partition{};
  bool for_maintenance = false;
  bool usable = false;  // jobs of the user may run in it
  // Set if it was made through Carme and concerns the user.
  std::optional<Reservation> reservation{};
  bool mine = false;
  bool may_cancel = false;
  std::vector<std::string> users{};  // for those who may cancel it
};

// Thread-safe. Error messages are for the user.
class Reservations {
 public:
  // All must outlive the object.
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
    bool may_reserve = false;                     // something
    bool may_reserve_alone = false;               // without a project
    std::vector<std::string> projects{};          // ids: for these
  };
  absl::StatusOr<Listing> List(const Person& person);

  // The decision of Create, as far as it is known without Slurm.
  absl::StatusOr<ReservationDecision> Preview(const Person& person,
                                              const ReservationSpec& spec);

  // Blocks for one operation of the reserver. The codes of the rules;
  // FAILED_PRECONDITION, PERMISSION_DENIED, RESOURCE_EXHAUSTED: refused by
  // Slurm or the impersonator; UNAVAILABLE: nothing was reserved. If it is not
  // known whether Slurm has it, it is returned as kCreating and reconciled
  // later. The same key of the same user makes one reservation.
  absl::StatusOr<ReservationView> Create(const Person& person,
                                         const ReservationSpec& spec,
                                         const std::string& key,
                                         const std::string& request_id);

  // Allowed for the owner, managers of its project, and administrators.
  // NOT_FOUND: also for reservations that the user cannot see;
  // FAILED_PRECONDITION: jobs run in it. Returns the reservation; kCancelling:
  // retried until Slurm has removed it.
  absl::StatusOr<Reservation> Cancel(const Person& person,
                                     const std::string& id,
                                     const std::string& request_id);

  // Reconciles the table with Slurm: lost responses, pending cancellations,
  // users, and removed reservations. Blocks for operations of the reserver.
  // Call every few seconds from one thread.
  void Reconcile();

  const ReservationsConfig& config() const { return config_; }

 private:
  // The role of the user in a project, and its members.
  struct ProjectAccess {
    ProjectRole project_role = v1::PROJECT_ROLE_UNSPECIFIED;
    bool is_active = false;
    std::vector<std::string> members{};
  };
  absl::StatusOr<ProjectAccess> ProjectAccessOf(Database& db,
                                                const std::string& project,
                                                Uid uid) const;
  absl::StatusOr<ReservationDecision> Judge(Database& db, const Person& person,
                                            const ReservationSpec& spec,
                                            ProjectAccess* access) const;
  // `place`: the person's, in the reservation's project. One of the two is
  // given.
  static ReservationView ViewOf(const Person& person, ProjectRole project_role,
                                const SlurmReservation* slurm,
                                const Reservation* reservation);
  absl::StatusOr<ReservationRequest> OrderOf(
      Database& db, const Reservation& reservation) const;
  void RefreshAfter(const absl::Status& answer);
  absl::Status CompleteCreate(const Reservation& reservation,
                              const absl::Status& answer,
                              const std::string& request_id);
  absl::Status CompleteCancel(const Reservation& reservation,
                              const absl::Status& answer,
                              const std::string& request_id);

  // Of Reconcile().
  std::optional<Reservation> Reload(const std::string& id);
  void ReconcileOne(const Reservation& reservation, const SlurmSnapshot& seen);
  // `since`: how long after the reservation's last change Slurm was asked.
  void ReconcileHidden(const Reservation& reservation, absl::Duration since);
  bool ProjectHasEnded(const Reservation& reservation);
  void EndWithProject(const Reservation& reservation);
  // Why Slurm does not have the reservation; nullptr: it has ended.
  const TextTemplate* EndNotice(const Reservation& reservation) const;
  // `notice` is for the owner; nullptr: none.
  void SetState(const Reservation& reservation, ReservationState to,
                const TextTemplate* notice);
  void RetryCancel(const Reservation& reservation);
  void UpdateUsers(const Reservation& reservation,
                   const SlurmReservation& slurm);
  bool IsDue(const std::string& id, absl::Duration between);
  absl::StatusOr<ReservationRequest> ReadOrder(const Reservation& reservation);

  // Reservations with an operation in progress: Reconcile() skips them.
  class InFlight;

  const Parts parts_;
  const ReservationsConfig config_;
  absl::Mutex mutex_;
  std::set<std::string> in_flight_ ABSL_GUARDED_BY(mutex_);
  // When Reconcile() repeats failed operations; used by its thread only.
  std::map<std::string, absl::Time> next_try_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RESERVATIONS_RESERVATIONS_H_
