// A database with the usage's tables, a clock that is moved by hand, and jobs
// that are admitted as submissions are: the question and the record in one
// transaction.
#ifndef CARME_TESTS_BACKEND_QUOTAS_QUOTA_WORLD_H_
#define CARME_TESTS_BACKEND_QUOTAS_QUOTA_WORLD_H_

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/quotas/quotas.h"
#include "backend/quotas/rule_table.h"
#include "backend/quotas/usage_table.h"
#include "backend/store/database.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"

namespace carme::backend {

inline const Uid kAda{20001}, kBob{20002}, kEve{20003};

class QuotaWorld {
 public:
  // 2027-01-15 08:00 UTC, and without limits in the configuration.
  explicit QuotaWorld(const Limits& user = {}) {
    for (const auto& [name, uid] :
         {std::pair{"ada", kAda}, {"bob", kBob}, {"eve", kEve}}) {
      people_[name] = {.username = name, .display_name = "", .uid = uid};
    }
    people_["bob"].groups = {"chem", "staff"};
    quotas_ = Quotas::Open({.database = database_.get(),
                            .clock = &clock_,
                            .person_lookup = &directory_,
                            .directory = &directory_},
                           user, {})
                  .value();
  }

  static Session SessionOf(const Person& person) {
    Session session;
    session.username = person.username;
    session.uid = person.uid;
    session.role = person.role;
    return session;
  }
  Quotas::Asker AskerOf(const std::string& name) {
    return quotas_->AskerOf(SessionOf(people_.at(name)));
  }
  void Project(const std::string& id, const std::string& name) {
    Run(absl::StrCat(
        "INSERT INTO projects (id, name, description, classification, "
        "takes_requests, state, created_at, account, announced_days) VALUES "
        "('",
        id, "', '", name, "', '', '', 0, 2, 0, '', 0)"));
  }
  void Run(const std::string& sql) {
    In([&](Database& db) { return db.Prepare(sql).value().Run(); });
  }
  void In(const std::function<absl::Status(Database&)>& body) {
    REQUIRE(database_->Transact(body) == absl::OkStatus());
  }
  QuotaTerms Terms(const std::string& name, const std::string& project = "") {
    return quotas_->For(AskerOf(name), project).value();
  }
  // A job of theirs, if it may be; its usage has an id then.
  JobUsage Submit(const std::string& name, const JobUse& use,
                  const std::string& project = "") {
    const Quotas::Asker asker = AskerOf(name);
    JobUsage usage{.uid = asker.uid,
                   .project = project,
                   .use = use,
                   .created_at = clock_.Now()};
    In([&](Database& db) -> absl::Status {
      const auto terms = quotas_->For(db, asker, project);
      refusal_ =
          terms.ok() ? StatusOf(CheckQuotas(*terms, use)) : terms.status();
      if (!refusal_.ok()) return absl::OkStatus();
      usage.job = NewJobId();
      return BeginUsage(db, usage);
    });
    return usage;
  }
  void Follow(const JobUsage& usage) {
    In([&](Database& db) { return FollowUsage(db, usage); });
  }
  void Start(JobUsage* usage) {
    usage->started_at = clock_.Now();
    if (usage->use.tasks == 1) {
      usage->ends_at = clock_.Now() + usage->use.walltime;
    }
    Follow(*usage);
  }
  void End(JobUsage* usage) {
    usage->ended_at = clock_.Now();
    Follow(*usage);
  }
  absl::Status ReserveExtension(const std::string& name, const JobUsage& usage,
                                absl::Duration extra) {
    const Quotas::Asker asker = AskerOf(name);
    absl::Status may;
    const absl::Status done = database_->Transact([&](Database& db) {
      may = quotas_->ReserveExtension(db, asker, usage.job, extra);
      return may;
    });
    CHECK(done == may);
    return may;
  }
  QuotaRule Set(QuotaRule rule) {
    const auto kept = quotas_->Set(std::move(rule), "carol");
    REQUIRE(kept.status() == absl::OkStatus());
    return *kept;
  }

  FakeClock clock_;
  std::unique_ptr<Database> database_ =
      Database::Open(":memory:", Migrations()).value();
  std::map<std::string, Person> people_;
  bool away_ = false;  // the directory
  FakeDirectory directory_{
      [this](const std::string& name) -> absl::StatusOr<Person> {
        if (away_) return absl::UnavailableError("directory away");
        const auto found = people_.find(name);
        if (found == people_.end()) return absl::NotFoundError("nobody");
        return found->second;
      }};
  std::unique_ptr<Quotas> quotas_;
  absl::Status refusal_;  // of the last submission
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_QUOTAS_QUOTA_WORLD_H_
