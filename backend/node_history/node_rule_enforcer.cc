#include "backend/node_history/node_rule_enforcer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/node_history/messages.h"
#include "backend/node_history/rules/vet_request.h"
#include "backend/notifications/event.h"
#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/file.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBetweenFullPasses = absl::Minutes(1);
// Until a poll of Slurm surely shows what was requested.
constexpr absl::Duration kUntilShown = absl::Seconds(30);
// Afterwards a drain that could not be requested is given up.
constexpr absl::Duration kGiveUpAfter = absl::Hours(1);
constexpr int kUsersPerPage = 500;
constexpr size_t kMaxCause = 200;
constexpr char kActor[] = "carme-backend";
// What the impersonator puts before a reason.
constexpr char kReasonPrefix[] = "carme: ";

const NodeDetail* DetailOf(const SlurmSnapshot& snapshot,
                           const std::string& node) {
  if (snapshot.detail == nullptr) return nullptr;
  const auto found = snapshot.detail->nodes.find(node);
  return found == snapshot.detail->nodes.end() ? nullptr : &found->second;
}

bool IsDrained(const NodeDetail& detail) {
  return absl::StrContains(detail.state.slurm, "DRAIN");
}

NodeEntry RuleEntry(const std::string& node, const std::string& name,
                    std::string run, DisplayText text) {
  return {.node = node,
          .source = v1::NODE_ENTRY_SOURCE_RULE,
          .severity = v1::NODE_ENTRY_SEVERITY_WARNING,
          .name = name,
          .run = std::move(run),
          .text = std::move(text)};
}

std::string CauseOf(const absl::Status& status) {
  return Readable(std::string(status.message()), kMaxCause);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NodeRuleEnforcer>> NodeRuleEnforcer::Open(
    const Parts& parts, const NodeRulesConfig& config) {
  NodeRules rules;
  if (!config.file.empty()) {
    ASSIGN_OR_RETURN(const std::string text,
                     ReadFile(config.file, kMaxYamlBytes + 1));
    ASSIGN_OR_RETURN(rules, ParseNodeRules(text, config.file));
  }
  return std::make_unique<NodeRuleEnforcer>(parts, config, std::move(rules));
}

NodeRuleEnforcer::NodeRuleEnforcer(const Parts& parts, NodeRulesConfig config,
                                   NodeRules rules)
    : parts_(parts), config_(std::move(config)), rules_(std::move(rules)) {}

void NodeRuleEnforcer::Enforce() {
  const absl::MutexLock lock(&enforcing_);
  const SlurmSnapshotPtr snapshot = parts_.scheduler->Snapshot();
  if (!snapshot->reachable || snapshot->nodes.empty()) return;
  const absl::Status flushed = parts_.history->Flush();
  if (!flushed.ok()) {
    LogError("history of nodes not written", {{"error", StatusText(flushed)}});
  }
  std::set<std::string> nodes = parts_.history->TakeChanged();
  const absl::Time now = parts_.clock->Now();
  // Also if the clock was set back.
  if (now >= next_full_ || next_full_ - now > kBetweenFullPasses) {
    next_full_ = now + kBetweenFullPasses;
    const absl::Status read =
        parts_.database->Transact([&](Database& db) -> absl::Status {
          RETURN_IF_ERROR(DeleteNodeEntriesBefore(
              db, now - absl::Hours(24) * config_.retention_days));
          ASSIGN_OR_RETURN(const auto all, ReadNodesWithEntries(db));
          nodes.insert(all.begin(), all.end());
          return absl::OkStatus();
        });
    if (!read.ok()) {
      LogError("history of nodes not read", {{"error", StatusText(read)}});
      return;
    }
    // Entries that are too old are gone.
    std::erase_if(vet_requested_, [&](const std::string& node) {
      return !nodes.contains(node);
    });
  }
  for (const std::string& node : nodes) {
    const absl::Status evaluated = EvaluateNode(*snapshot, node);
    if (evaluated.ok()) continue;
    LogError("rules about a node not evaluated",
             {{"node", node}, {"error", StatusText(evaluated)}});
  }
  std::vector<NodeDrain> drains;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(drains, ReadNodeDrains(db));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("drained nodes not read", {{"error", StatusText(read)}});
  }
  for (const NodeDrain& drain : drains) {
    const absl::Status followed = FollowDrain(*snapshot, drain);
    if (followed.ok()) continue;
    LogWarning("state of a node not changed, trying again",
               {{"node", drain.node}, {"error", StatusText(followed)}});
  }
  PublishAvoided(*snapshot);
  parts_.history->SetVetRequested(vet_requested_);
}

absl::Status NodeRuleEnforcer::EvaluateNode(const SlurmSnapshot& snapshot,
                                            const std::string& node) {
  ASSIGN_OR_RETURN(std::vector<NodeEntry> entries,
                   parts_.history->Read(node, 0, 2 * kMaxEntriesOfNode));
  std::reverse(entries.begin(), entries.end());
  const NodeVerdict verdict =
      EvaluateNodeRules(rules_, entries, parts_.clock->Now());
  {
    const absl::MutexLock lock(&mutex_);
    if (verdict.state == v1::NODE_RULE_STATE_HEALTHY) {
      states_.erase(node);
    } else {
      states_[node] = verdict.state;
    }
  }
  for (const DueNodeRule& due : verdict.due) {
    RETURN_IF_ERROR(Act(snapshot, node, due));
  }
  return UpdateVetRequest(node, entries);
}

absl::Status NodeRuleEnforcer::UpdateVetRequest(
    const std::string& node, const std::vector<NodeEntry>& entries) {
  ASSIGN_OR_RETURN(const std::optional<NodeDrain> drain,
                   parts_.history->DrainOf(node));
  const bool is_drained = drain && drain->state == NodeDrain::State::kDrained;
  if (IsVetRequested(rules_, entries, is_drained,
                     absl::Minutes(config_.vet_interval_min),
                     parts_.clock->Now())) {
    vet_requested_.insert(node);
  } else {
    vet_requested_.erase(node);
  }
  return absl::OkStatus();
}

absl::Status NodeRuleEnforcer::Act(const SlurmSnapshot& snapshot,
                                   const std::string& node,
                                   const DueNodeRule& due) {
  const std::string& rule = due.rule->name;
  std::string run = absl::StrCat("after:", due.newest);
  switch (due.rule->action) {
    case NodeRuleAction::kAvoid:
      return Store(nullptr, false,
                   RuleEntry(node, rule, std::move(run),
                             MakeText(node_history_messages::kNodeAvoided,
                                      {{"reason", due.text}})),
                   "");
    case NodeRuleAction::kNotify:
      return Store(
          nullptr, false,
          RuleEntry(node, rule, std::move(run),
                    MakeText(node_history_messages::kNotified,
                             {{"reason", due.text}})),
          MakeText(node_history_messages::kNoticeOfRule,
                   {{"node", node}, {"rule", rule}, {"reason", due.text}}));
    case NodeRuleAction::kRevet:
      return Store(
          nullptr, false,
          RuleEntry(node, rule, std::move(run),
                    MakeText(node_history_messages::kRevetRequested,
                             {{"reason", due.text}})),
          MakeText(node_history_messages::kNoticeRevet,
                   {{"node", node}, {"rule", rule}, {"reason", due.text}}));
    case NodeRuleAction::kDrain:
      return RequestDrain(snapshot, node, due);
  }
  return absl::OkStatus();
}

absl::Status NodeRuleEnforcer::RequestDrain(const SlurmSnapshot& snapshot,
                                            const std::string& node,
                                            const DueNodeRule& due) {
  ASSIGN_OR_RETURN(const std::optional<NodeDrain> before,
                   parts_.history->DrainOf(node));
  if (before) return absl::OkStatus();
  const NodeDetail* const detail = DetailOf(snapshot, node);
  if (detail == nullptr) return absl::OkStatus();
  if (IsDrained(*detail)) {
    return Store(
        nullptr, false,
        RuleEntry(node, due.rule->name, absl::StrCat("after:", due.newest),
                  MakeText(node_history_messages::kNodeDrainedAlready,
                           {{"reason", due.text}})),
        "");
  }
  const NodeDrain drain{.node = node,
                        .rule = due.rule->name,
                        .reason = due.text,
                        .evaluations = absl::StrJoin(due.evaluations, "\n"),
                        .requested_at = parts_.clock->Now(),
                        .state = NodeDrain::State::kRequested};
  return parts_.database->Transact(
      [&](Database& db) { return WriteNodeDrain(db, drain); });
}

absl::Status NodeRuleEnforcer::FollowDrain(const SlurmSnapshot& snapshot,
                                           NodeDrain drain) {
  if (drain.state == NodeDrain::State::kRequested) {
    return Drain(std::move(drain));
  }
  const NodeDetail* const detail = DetailOf(snapshot, drain.node);
  if (detail != nullptr &&
      snapshot.resources_asked_at > drain.requested_at + kUntilShown) {
    const bool is_drained = IsDrained(*detail);
    if (!is_drained ||
        !absl::StartsWith(detail->reason,
                          absl::StrCat(kReasonPrefix, drain.reason))) {
      // If it is resumed, what was before counts no more.
      return Store(
          &drain, true,
          RuleEntry(
              drain.node, is_drained ? drain.rule : kResumeEntry,
              absl::StrCat("changed:", absl::ToUnixMicros(drain.requested_at)),
              MakeText(node_history_messages::kDrainChanged,
                       {{"rule", drain.rule}})),
          "");
    }
  }
  if (drain.state == NodeDrain::State::kPassed) return Resume(std::move(drain));
  return absl::OkStatus();
}

absl::Status NodeRuleEnforcer::Drain(NodeDrain drain) {
  const absl::Status drained = ChangeNode(drain, false);
  const bool is_late = absl::AbsDuration(parts_.clock->Now() -
                                         drain.requested_at) >= kGiveUpAfter;
  if (absl::IsUnavailable(drained) && !is_late) return drained;
  const std::string run =
      absl::StrCat("drain:", absl::ToUnixMicros(drain.requested_at));
  if (!drained.ok()) {
    const std::string cause = CauseOf(drained);
    return Store(
        &drain, true,
        RuleEntry(drain.node, drain.rule, run,
                  MakeText(node_history_messages::kDrainRefused,
                           {{"cause", cause}, {"reason", drain.reason}})),
        MakeText(node_history_messages::kNoticeDrainRefused,
                 {{"node", drain.node},
                  {"rule", drain.rule},
                  {"reason", drain.reason},
                  {"cause", cause}}));
  }
  drain.state = NodeDrain::State::kDrained;
  parts_.scheduler->RefreshResourcesSoon();
  return Store(&drain, false,
               RuleEntry(drain.node, drain.rule, run,
                         MakeText(node_history_messages::kNodeDrained,
                                  {{"reason", drain.reason}})),
               MakeText(node_history_messages::kNoticeDrained,
                        {{"node", drain.node},
                         {"rule", drain.rule},
                         {"reason", drain.reason}}));
}

absl::Status NodeRuleEnforcer::Resume(NodeDrain drain) {
  const absl::Status resumed = ChangeNode(drain, true);
  if (absl::IsUnavailable(resumed)) return resumed;
  parts_.scheduler->RefreshResourcesSoon();
  if (resumed.ok()) {
    {
      const absl::MutexLock lock(&mutex_);
      states_.erase(drain.node);
    }
    return Store(&drain, true,
                 RuleEntry(drain.node, kResumeEntry,
                           absl::StrCat("resume:",
                                        absl::ToUnixMicros(drain.requested_at)),
                           MakeText(node_history_messages::kNodeResumed)),
                 MakeText(node_history_messages::kNoticeResumed,
                          {{"node", drain.node}}));
  }
  // Another passed run tries it again.
  drain.state = NodeDrain::State::kDrained;
  const std::string cause = CauseOf(resumed);
  return Store(&drain, false,
               RuleEntry(drain.node, drain.rule,
                         absl::StrCat("resume-refused:",
                                      absl::ToUnixMicros(parts_.clock->Now())),
                         MakeText(node_history_messages::kResumeRefused,
                                  {{"cause", cause}})),
               MakeText(node_history_messages::kNoticeResumeRefused,
                        {{"node", drain.node}, {"cause", cause}}));
}

absl::Status NodeRuleEnforcer::ChangeNode(const NodeDrain& drain, bool resume) {
  RETURN_IF_ERROR(parts_.audit->Ready());
  const std::string request_id = NewRequestId();
  PosixUser user;
  const absl::Status changed = [&]() -> absl::Status {
    if (config_.drain_user.empty()) {
      return MakeError(node_history_messages::kNoDrainUser);
    }
    const absl::StatusOr<Person> person =
        parts_.persons->LookUp(config_.drain_user);
    if (!person.ok()) {
      return absl::IsNotFound(person.status())
                 ? person.status()
                 : absl::UnavailableError(person.status().message());
    }
    user = {person->username, person->uid};
    const absl::Status answer =
        resume
            ? parts_.nodes->Resume(user, {drain.node}, request_id)
            : parts_.nodes->Drain(user, {drain.node}, drain.reason, request_id);
    if (answer.ok() || IsPermanentRejection(answer.code())) return answer;
    return absl::UnavailableError(answer.message());
  }();
  AuditEvent event{
      .act = resume ? "resume-node-by-rule" : "drain-node-by-rule",
      .actor = kActor,
      .subject = drain.node,
      .decision = changed.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse,
      .result = absl::StrCat(changed.ok() ? "ok" : StatusText(changed),
                             "; rule ", drain.rule, "; reason: ", drain.reason),
      .request_id = request_id};
  if (!absl::IsUnavailable(changed)) parts_.audit->Record(event);
  return changed;
}

absl::Status NodeRuleEnforcer::Store(const NodeDrain* drain, bool is_ended,
                                     const NodeEntry& entry,
                                     const DisplayText& notice) {
  std::vector<Uid> administrators;
  if (!notice.empty()) {
    ASSIGN_OR_RETURN(administrators, Administrators());
  }
  const absl::Time now = parts_.clock->Now();
  return parts_.database->Transact([&](Database& db) -> absl::Status {
    if (drain != nullptr) {
      RETURN_IF_ERROR(is_ended ? DeleteNodeDrain(db, drain->node)
                               : WriteNodeDrain(db, *drain));
    }
    NodeEntry stored = entry;
    stored.at = now;
    stored.text.text = Readable(stored.text.text, NodeHistory::kMaxTextBytes);
    RETURN_IF_ERROR(InsertNodeEntry(db, stored).status());
    RETURN_IF_ERROR(TrimNodeEntries(db, stored.node));
    for (const Uid uid : administrators) {
      RETURN_IF_ERROR(
          PostEvent(db,
                    {.uid = uid,
                     .kind = v1::NOTIFICATION_KIND_NODE,
                     .subject = entry.node,
                     .text = notice,
                     .key = absl::StrCat("node:", entry.node, ":", entry.name,
                                         ":", entry.run, ":", uid.value())},
                    now));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<Uid>> NodeRuleEnforcer::Administrators() const {
  std::vector<Uid> administrators;
  std::string after;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<UserRecord> page,
                     parts_.users->List("", after, kUsersPerPage));
    for (const UserRecord& user : page) {
      if (user.person.role == Role::kAdmin) {
        administrators.push_back(user.person.uid);
      }
    }
    if (page.size() < size_t{kUsersPerPage}) return administrators;
    after = page.back().person.username;
  }
}

void NodeRuleEnforcer::PublishAvoided(const SlurmSnapshot& snapshot) {
  const auto nodes =
      std::count_if(snapshot.nodes.begin(), snapshot.nodes.end(),
                    [](const SlurmNode& node) { return node.has_feature; });
  const size_t max = static_cast<size_t>(nodes) *
                     static_cast<size_t>(config_.max_avoided_percent) / 100;
  std::set<std::string> avoided;
  {
    const absl::MutexLock lock(&mutex_);
    for (const auto& [node, state] : states_) {
      if (state != v1::NODE_RULE_STATE_AVOIDED) continue;
      if (avoided.size() < max) avoided.insert(node);
    }
  }
  parts_.history->SetAvoided(std::move(avoided));
}

v1::NodeRuleState NodeRuleEnforcer::StateOf(const std::string& node) const {
  const absl::StatusOr<std::optional<NodeDrain>> drain =
      parts_.history->DrainOf(node);
  if (drain.ok() && *drain && (*drain)->state != NodeDrain::State::kRequested) {
    return v1::NODE_RULE_STATE_DRAINED;
  }
  const absl::MutexLock lock(&mutex_);
  const auto found = states_.find(node);
  return found == states_.end() ? v1::NODE_RULE_STATE_HEALTHY : found->second;
}

}  // namespace carme::backend
