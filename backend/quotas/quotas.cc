#include "backend/quotas/quotas.h"

#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "backend/notifications/event.h"
#include "backend/quotas/messages.h"
#include "backend/quotas/rule_check.h"
#include "backend/quotas/rule_table.h"
#include "backend/quotas/usage_table.h"
#include "common/log.h"
#include "common/message.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

DisplayText NotificationText(const QuotaRule& rule) {
  const std::string limit = LimitName(rule.metric);
  const DisplayText source = QuotaSourceText(rule);
  if (!rule.max) {
    return rule.note.empty() ? MakeText(quota_messages::kNoLimitSet,
                                        {{"limit", limit}, {"source", source}})
                             : MakeText(quota_messages::kNoLimitSetWithNote,
                                        {{"limit", limit},
                                         {"source", source},
                                         {"note", rule.note}});
  }
  return rule.note.empty()
             ? MakeText(
                   quota_messages::kLimitSet,
                   {{"max", *rule.max}, {"limit", limit}, {"source", source}})
             : MakeText(quota_messages::kLimitSetWithNote,
                        {{"max", *rule.max},
                         {"limit", limit},
                         {"source", source},
                         {"note", rule.note}});
}

// Made once: every submission has it until the groups are known.
const absl::Status& GroupsUnavailable() {
  static const auto* const error =
      new absl::Status(MakeError(quota_messages::kGroupsUnavailable));
  return *error;
}

}  // namespace

Quotas::Quotas(Parts parts, std::vector<QuotaRule> configured)
    : parts_(std::move(parts)), configured_(std::move(configured)) {}

absl::StatusOr<std::unique_ptr<Quotas>> Quotas::Open(Parts parts,
                                                     const Limits& user,
                                                     const Limits& admin) {
  std::vector<QuotaRule> configured;
  for (const Role role : {Role::kUser, Role::kAdmin}) {
    for (QuotaRule& rule : RulesOf(role == Role::kAdmin ? admin : user, role)) {
      configured.push_back(std::move(rule));
    }
  }
  return Open(std::move(parts), std::move(configured));
}

absl::StatusOr<std::unique_ptr<Quotas>> Quotas::OpenOn(
    Database* database) const {
  Parts parts = parts_;
  parts.database = database;
  return Open(std::move(parts), configured_);
}

std::vector<OverlayTable> Quotas::WrittenTables() {
  return {{.name = "quota_rules"},
          {.name = "events", .has_rows = false},
          {.name = "deliveries", .has_rows = false}};
}

absl::StatusOr<std::unique_ptr<Quotas>> Quotas::Open(
    Parts parts, std::vector<QuotaRule> configured) {
  auto quotas =
      absl::WrapUnique(new Quotas(std::move(parts), std::move(configured)));
  RETURN_IF_ERROR(
      quotas->parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(quotas->group_rules_, HasGroupRules(db));
        return absl::OkStatus();
      }));
  return quotas;
}

Quotas::Asker Quotas::AskerOf(const Session& caller) const {
  Asker asker{
      .uid = caller.uid, .role = caller.role, .groups = GroupsUnavailable()};
  if (!group_rules_) return asker;
  absl::StatusOr<Person> person = parts_.person_lookup->LookUp(caller.username);
  if (person.ok() && person->uid == caller.uid) {
    asker.groups = std::move(person->groups);
  }
  return asker;
}

absl::StatusOr<Quotas::Asker> Quotas::AskerOf(const std::string& username,
                                              Uid uid) const {
  absl::StatusOr<Person> person = parts_.person_lookup->LookUp(username);
  if (!person.ok()) person = parts_.directory->LookUp(username);
  RETURN_IF_ERROR(person.status());
  if (person->uid != uid) {
    return MakeError(quota_messages::kUidChanged);
  }
  return Asker{
      .uid = uid, .role = person->role, .groups = std::move(person->groups)};
}

absl::StatusOr<QuotaTerms> Quotas::For(Database& db, const Asker& asker,
                                       const std::string& project,
                                       const JobId& without) const {
  ASSIGN_OR_RETURN(std::vector<QuotaRule> rules,
                   RulesFor(db, asker.uid, project));
  bool of_groups = false;
  for (const QuotaRule& rule : rules) {
    of_groups = of_groups || rule.scope == v1::LIMIT_SCOPE_GROUP;
  }
  if (of_groups) RETURN_IF_ERROR(asker.groups.status());
  rules.insert(rules.end(), configured_.begin(), configured_.end());
  QuotaTerms terms;
  terms.now = parts_.clock->Now();
  terms.rules = Applying(rules,
                         {asker.uid, asker.role,
                          asker.groups.value_or(std::vector<std::string>())},
                         project, terms.now);
  ASSIGN_OR_RETURN(terms.person,
                   ReadUsage(db, asker.uid, "", terms.now, without));
  if (project.empty()) return terms;
  ASSIGN_OR_RETURN(terms.project,
                   ReadUsage(db, kNoUid, project, terms.now, without));
  ASSIGN_OR_RETURN(terms.member,
                   ReadUsage(db, asker.uid, project, terms.now, without));
  return terms;
}

absl::StatusOr<QuotaTerms> Quotas::For(const Asker& asker,
                                       const std::string& project,
                                       const JobId& without) const {
  QuotaTerms terms;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(terms, For(db, asker, project, without));
    return absl::OkStatus();
  }));
  return terms;
}

absl::Status Quotas::ReserveExtension(Database& db, const Asker& asker,
                                      const JobId& job,
                                      absl::Duration extra) const {
  ASSIGN_OR_RETURN(const std::optional<JobUsage> usage, FindUsage(db, job));
  if (!usage || !usage->started_at || !usage->ends_at ||
      usage->uid != asker.uid || extra <= absl::ZeroDuration()) {
    return MakeError(quota_messages::kJobWithoutEnd);
  }
  ASSIGN_OR_RETURN(const QuotaTerms terms, For(db, asker, usage->project));
  const absl::Time until = *usage->ends_at + extra;
  JobUse use = usage->use;
  use.walltime = until - *usage->started_at;
  RETURN_IF_ERROR(StatusOf(CheckMore(terms, use, *usage->ends_at, extra)));
  return PromiseUsage(db, job, until);
}

absl::Status Quotas::CompleteExtension(Database& db, const JobId& job) const {
  return PromiseUsage(db, job, std::nullopt);
}

absl::StatusOr<std::vector<QuotaRule>> Quotas::Rules() const {
  std::vector<QuotaRule> rules = configured_;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<QuotaRule> kept, AllRules(db));
    rules.insert(rules.end(), kept.begin(), kept.end());
    return absl::OkStatus();
  }));
  return rules;
}

absl::Status Quotas::Complete(QuotaRule* rule) const {
  return CompleteRule(parts_.directory, rule);
}

absl::StatusOr<QuotaRule> Quotas::Set(QuotaRule rule, const std::string& by) {
  const absl::Time now = parts_.clock->Now();
  RETURN_IF_ERROR(CheckRuleText(rule, now));
  RETURN_IF_ERROR(Complete(&rule));
  rule.set_by = by;
  rule.set_at = absl::FromUnixMicros(absl::ToUnixMicros(now));
  // Once a rule for a group exists, submissions look up the user's groups.
  if (rule.scope == v1::LIMIT_SCOPE_GROUP) group_rules_ = true;
  const auto keep = [&](Database& db) -> absl::Status {
    if (!rule.project.empty()) {
      ASSIGN_OR_RETURN(rule.project_name, NameOfProject(db, rule.project));
    }
    RETURN_IF_ERROR(PutRule(db, rule));
    ASSIGN_OR_RETURN(const int rules, CountRules(db));
    if (rules > kMaxRules) {
      return MakeError(quota_messages::kTooManyRules, {{"max", kMaxRules}});
    }
    if (rule.uid == kNoUid) return absl::OkStatus();
    return PostEvent(db,
                     {.uid = rule.uid,
                      .kind = v1::NOTIFICATION_KIND_QUOTA,
                      .subject = rule.project,
                      .text = NotificationText(rule)},
                     now);
  };
  RETURN_IF_ERROR(parts_.database->Transact(keep));
  return rule;
}

absl::Status Quotas::Remove(QuotaRule rule) {
  RETURN_IF_ERROR(CheckRuleTarget(rule));
  return parts_.database->Transact([&](Database& db) -> absl::Status {
    // The user of the rule may no longer be in the directory.
    if (!rule.username.empty()) {
      ASSIGN_OR_RETURN(const std::vector<QuotaRule> rules, AllRules(db));
      for (const QuotaRule& kept : rules) {
        if (kept.scope == rule.scope && kept.project == rule.project &&
            kept.username == rule.username && kept.metric == rule.metric) {
          rule.uid = kept.uid;
        }
      }
      if (rule.uid == kNoUid) {
        return MakeError(quota_messages::kNotFound);
      }
    }
    return DeleteRule(db, rule);
  });
}

void Quotas::Sweep() {
  const absl::Status swept =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        RETURN_IF_ERROR(DropOrphanRules(db));
        return FoldUsage(db, parts_.clock->Now());
      });
  if (swept.ok()) return;
  LogError("usage aggregation failed", {{"error", StatusText(swept)}});
}

}  // namespace carme::backend
