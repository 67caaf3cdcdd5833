// Limits and quotas: which rules there are, and what is used of them. The rules
// of precedence and the judgement are pure (policy/quota.h).
#ifndef CARME_BACKEND_QUOTAS_QUOTAS_H_
#define CARME_BACKEND_QUOTAS_QUOTAS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/person.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. A question that is part of a transaction sees every job that was
// recorded before, so that no order of submissions, one after another or at the
// same time, gets past a limit.
class Quotas {
 public:
  static constexpr int kMaxRules = 5000;
  static constexpr int64_t kMaxAmount = 1'000'000'000;

  // May block for the directory. NOT_FOUND; others: it does not say.
  using WhoIs =
      std::function<absl::StatusOr<Person>(const std::string& username)>;
  // All outlive the quotas.
  struct Parts {
    Database* database;
    const Clock* clock;
    WhoIs who_asks;  // somebody who is logged in; may be some minutes old
    WhoIs who_is;    // anybody, as the directory has them now
    // The name of a group, to which limits can apply, as the directory writes
    // it. NOT_FOUND; other errors: it does not answer. Null: not checked.
    std::function<absl::StatusOr<std::string>(const std::string& name)>
        find_group = nullptr;
  };
  static absl::StatusOr<std::unique_ptr<Quotas>> Open(Parts parts,
                                                      const Limits& user,
                                                      const Limits& admin);

  // Somebody whose job is judged. Their groups are asked for only where a rule
  // is for groups; an error stays in it, and refuses where it matters.
  struct Asker {
    Uid uid = kNoUid;
    Role role = Role::kUser;
    absl::StatusOr<std::vector<std::string>> groups =
        absl::UnknownError("nobody has asked");
  };
  // Not within a transaction: may block for the directory.
  Asker AskerOf(const Session& caller) const;
  // Of somebody who may not be logged in. UNAVAILABLE, NOT_FOUND: the
  // directory's.
  absl::StatusOr<Asker> AskerOf(const std::string& username, Uid uid) const;

  // What a job of theirs, in a project or none, is held against now.
  // UNAVAILABLE: a rule is for groups and nobody knows theirs, in words for
  // them. REQUIRES: in the body of a transaction or query.
  // What the job `without` uses is left out.
  absl::StatusOr<QuotaTerms> For(Database& db, const Asker& asker,
                                 const std::string& project,
                                 const JobId& without = {}) const;
  // The same, outside of any.
  absl::StatusOr<QuotaTerms> For(const Asker& asker,
                                 const std::string& project,
                                 const JobId& without = {}) const;

  // Whether a running job may have `extra` more; if so it counts with it from
  // this transaction on. RESOURCE_EXHAUSTED and PERMISSION_DENIED: no, in words
  // for the person; FAILED_PRECONDITION: no such job is running. REQUIRES: in
  // the body of a transaction.
  absl::Status MayUseMore(Database& db, const Asker& asker, const JobId& job,
                          absl::Duration extra) const;
  // Slurm has refused it, or has it: from now on the job's record counts, which
  // has the end that Slurm said last. REQUIRES: as above.
  absl::Status SettleMore(Database& db, const JobId& job) const;

  // The configuration's first.
  absl::StatusOr<std::vector<QuotaRule>> Rules() const;
  // Checks whom and what it is about, completes and keeps it, and tells a user
  // whose own it is. Gives it as it is kept. INVALID_ARGUMENT; NOT_FOUND: no
  // such user or project; RESOURCE_EXHAUSTED: there are too many; UNAVAILABLE:
  // the directory does not answer.
  absl::StatusOr<QuotaRule> Set(QuotaRule rule, const std::string& by);
  // The one of the same whom and what. NOT_FOUND.
  absl::Status Remove(QuotaRule rule);

  // Adds up what is old. Call now and then.
  void Sweep();

 private:
  Quotas(Parts parts, const Limits& user, const Limits& admin);
  absl::Status Complete(QuotaRule* rule) const;

  const Parts parts_;
  std::vector<QuotaRule> configured_;
  std::atomic<bool> group_rules_{false};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_QUOTAS_H_
