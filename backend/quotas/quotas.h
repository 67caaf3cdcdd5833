// Limits and quotas: the stored rules, and the usage. Precedence and checks are
// pure (policy/limits/quota.h).
#ifndef CARME_BACKEND_QUOTAS_QUOTAS_H_
#define CARME_BACKEND_QUOTAS_QUOTAS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/directory.h"
#include "backend/identity/person.h"
#include "backend/identity/person_lookup.h"
#include "backend/policy/limits/quota.h"
#include "backend/policy/spec/limits.h"
#include "backend/store/database.h"
#include "backend/store/overlay.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. A check in a transaction sees every job that was recorded
// before, so that no sequence of submissions, also concurrent ones, exceeds a
// limit.
class Quotas {
 public:
  static constexpr int kMaxRules = 5000;
  static constexpr int64_t kMaxAmount = 1'000'000'000;

  // All must outlive this.
  struct Parts {
    Database* database;
    const Clock* clock;
    PersonLookup* person_lookup;  // for users who are logged in
    Directory* directory;         // for all users and groups
  };
  static absl::StatusOr<std::unique_ptr<Quotas>> Open(Parts parts,
                                                      const Limits& user,
                                                      const Limits& admin);

  // The same operations on another database, such as an overlay of this one,
  // which must outlive the result.
  absl::StatusOr<std::unique_ptr<Quotas>> OpenOn(Database* database) const;
  // The tables that Set() and Remove() write. Events and deliveries are without
  // rows: in an overlay, a notification is not delivered.
  static std::vector<OverlayTable> WrittenTables();

  // The user whose job is checked. Groups are only looked up if a rule is for
  // groups; an error is kept and refuses where a rule needs them.
  struct Asker {
    Uid uid = kNoUid;
    Role role = Role::kUser;
    absl::StatusOr<std::vector<std::string>> groups =
        absl::InternalError("groups were not looked up");
  };
  // Must not be called in a transaction: may block for the directory.
  Asker AskerOf(const Session& caller) const;
  // For a user who may not be logged in. UNAVAILABLE, NOT_FOUND: from the
  // directory.
  absl::StatusOr<Asker> AskerOf(const std::string& username, Uid uid) const;

  // The rules for a job of the user, in a project or none, with their usage.
  // UNAVAILABLE: a rule is for groups and the user's groups are not known. The
  // usage of the job `without` is left out. REQUIRES: in the body of a
  // transaction or query.
  absl::StatusOr<QuotaTerms> For(Database& db, const Asker& asker,
                                 const std::string& project,
                                 const JobId& without = {}) const;
  // The same outside of a transaction.
  absl::StatusOr<QuotaTerms> For(const Asker& asker, const std::string& project,
                                 const JobId& without = {}) const;

  // Checks whether a running job may be extended by `extra`, and counts it in
  // this transaction. RESOURCE_EXHAUSTED, PERMISSION_DENIED: no, with a message
  // for the user; FAILED_PRECONDITION: no such running job. REQUIRES: in the
  // body of a transaction.
  absl::Status ReserveExtension(Database& db, const Asker& asker,
                                const JobId& job, absl::Duration extra) const;
  // Slurm has applied or refused the extension: from now on the end in the
  // job's record counts. REQUIRES: as above.
  absl::Status CompleteExtension(Database& db, const JobId& job) const;

  // The rules of the configuration first.
  absl::StatusOr<std::vector<QuotaRule>> Rules() const;
  // Checks, completes and stores a rule, and notifies the user if it is for
  // one. Returns the stored rule. INVALID_ARGUMENT; NOT_FOUND: no such user or
  // project; RESOURCE_EXHAUSTED: too many rules; UNAVAILABLE: the directory
  // does not respond.
  absl::StatusOr<QuotaRule> Set(QuotaRule rule, const std::string& by);
  // Deletes the rule with the same target and metric. NOT_FOUND.
  absl::Status Remove(QuotaRule rule);

  // Aggregates old usage. Call periodically.
  void Sweep();

 private:
  Quotas(Parts parts, std::vector<QuotaRule> configured);
  static absl::StatusOr<std::unique_ptr<Quotas>> Open(
      Parts parts, std::vector<QuotaRule> configured);
  absl::Status Complete(QuotaRule* rule) const;

  const Parts parts_;
  const std::vector<QuotaRule> configured_;
  std::atomic<bool> group_rules_{false};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_QUOTAS_H_
