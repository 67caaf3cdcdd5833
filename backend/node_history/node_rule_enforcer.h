// Does what the rules about nodes say: avoids and drains nodes, notifies
// administrators, requests runs of `carme vet`, and resumes nodes that a rule
// has drained.
//
//   entries ──► rule due ──► drain requested ──impersonator──► drained
//                                 │ refused: a notification      │
//                                 ▼                              ▼
//                           history, audit log     the site's run passed:
//                           resumed
//
// A drain is recorded before it is requested, so that a crash leaves none that
// is not known. The impersonator limits how many nodes are drained. A rule
// leaves a node alone that an administrator has resumed or drained since.
#ifndef CARME_BACKEND_NODE_HISTORY_NODE_RULE_ENFORCER_H_
#define CARME_BACKEND_NODE_HISTORY_NODE_RULE_ENFORCER_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/person_lookup.h"
#include "backend/identity/users/user_store.h"
#include "backend/node_history/node_history.h"
#include "backend/node_history/node_rules_config.h"
#include "backend/node_history/rules/node_rule_evaluation.h"
#include "backend/node_history/rules/node_rules.h"
#include "backend/slurm/node_updater.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/message.h"

namespace carme::backend {

// Thread-safe.
class NodeRuleEnforcer {
 public:
  // All must outlive the object.
  struct Parts {
    NodeHistory* history;
    Database* database;
    const Clock* clock;
    Scheduler* scheduler;
    NodeUpdater* nodes;
    AuditLog* audit;
    UserStore* users;       // administrators are notified
    PersonLookup* persons;  // finds drain_user
  };
  // Reads the file with the rules. Its errors, or those of ParseNodeRules().
  static absl::StatusOr<std::unique_ptr<NodeRuleEnforcer>> Open(
      const Parts& parts, const NodeRulesConfig& config);
  NodeRuleEnforcer(const Parts& parts, NodeRulesConfig config, NodeRules rules);

  // Evaluates nodes with new entries, and once a minute all. Does nothing while
  // Slurm does not respond. Blocks for operations of the impersonator. Call it
  // every few seconds.
  void Enforce();

  v1::NodeRuleState StateOf(const std::string& node) const;

 private:
  absl::Status EvaluateNode(const SlurmSnapshot& snapshot,
                            const std::string& node)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(enforcing_);
  // `entries`: of the node, ascending.
  absl::Status UpdateVetRequest(const std::string& node,
                                const std::vector<NodeEntry>& entries)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(enforcing_);
  absl::Status Act(const SlurmSnapshot& snapshot, const std::string& node,
                   const DueNodeRule& due);
  absl::Status RequestDrain(const SlurmSnapshot& snapshot,
                            const std::string& node, const DueNodeRule& due);
  absl::Status FollowDrain(const SlurmSnapshot& snapshot, NodeDrain drain);
  absl::Status Drain(NodeDrain drain);
  absl::Status Resume(NodeDrain drain);
  // Calls the impersonator as drain_user, and records that in the audit log.
  // UNAVAILABLE: try again.
  absl::Status ChangeNode(const NodeDrain& drain, bool resume);
  // In one transaction: the drain, which is deleted if `is_ended` (null:
  // unchanged), the entry, and a notification of each administrator unless
  // `notice` is empty.
  absl::Status Store(const NodeDrain* drain, bool is_ended,
                     const NodeEntry& entry, const DisplayText& notice);
  absl::StatusOr<std::vector<Uid>> Administrators() const;
  void PublishAvoided(const SlurmSnapshot& snapshot);

  const Parts parts_;
  const NodeRulesConfig config_;
  const NodeRules rules_;
  absl::Mutex enforcing_ ABSL_ACQUIRED_BEFORE(mutex_);
  absl::Time next_full_ ABSL_GUARDED_BY(enforcing_) = absl::InfinitePast();
  std::set<std::string> vet_requested_ ABSL_GUARDED_BY(enforcing_);  // nodes
  mutable absl::Mutex mutex_;
  // Of nodes that are not healthy.
  std::map<std::string, v1::NodeRuleState> states_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_NODE_RULE_ENFORCER_H_
