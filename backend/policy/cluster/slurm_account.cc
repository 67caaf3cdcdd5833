#include "backend/policy/cluster/slurm_account.h"

#include <algorithm>
#include <set>

#include "backend/policy/cluster/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "backend/policy/spec/quoted.h"
#include "common/message.h"

namespace carme::backend {
namespace {

using Associations = std::vector<const SlurmAssociation*>;

Associations OwnOf(const SlurmAccounting& accounting, const JobAccount& whose) {
  Associations own;
  for (const SlurmAssociation& row : accounting.associations) {
    if (row.user.empty()) continue;
    if (row.uid == whose.uid || row.user == whose.username) own.push_back(&row);
  }
  return own;
}

// The associations that the job may use; without an account the default one, if
// it is known.
Associations CandidatesOf(const Associations& own, const JobAccount& whose,
                          const JobSpec& spec) {
  Associations fitting, defaults;
  for (const SlurmAssociation* row : own) {
    if (!row->partition.empty() && row->partition != spec.partition) continue;
    if (!whose.account.empty() && row->account != whose.account) continue;
    fitting.push_back(row);
    if (row->is_default) defaults.push_back(row);
  }
  return whose.account.empty() && !defaults.empty() ? defaults : fitting;
}

std::set<std::string> QosOf(const Associations& rows) {
  std::set<std::string> names;
  for (const SlurmAssociation* row : rows) {
    names.insert(row->qos.begin(), row->qos.end());
  }
  return names;
}

// Whether `cluster.accounting` is complete, so that other associations do not
// exist.
bool KnowsAssociations(const SlurmSnapshot& cluster) {
  return cluster.enforcement.associations && cluster.accounting != nullptr &&
         !cluster.accounting->associations.empty() &&
         !cluster.enforcement.hides_associations;
}

bool KnowsQos(const SlurmSnapshot& cluster) {
  return cluster.enforcement.qos && cluster.accounting != nullptr &&
         !cluster.accounting->qos.empty();
}

std::vector<Violation> CheckQos(const SlurmSnapshot& cluster,
                                const Associations& candidates,
                                const JobSpec& spec) {
  if (spec.qos.empty() || !KnowsQos(cluster)) return {};
  const std::set<std::string> usable = QosOf(candidates);
  const std::string known = QuotedList(usable);
  if (cluster.accounting->FindQos(spec.qos) == nullptr) {
    return {{Refusal::kImpossible, "qos", "qos", known, ClusterLimitSource(),
             MakeText(policy_cluster_messages::kQosUnknownForJob,
                      {{"qos", spec.qos}, {"known", known}})}};
  }
  // An empty list means that QOS are hidden or not configured.
  if (usable.empty() || usable.contains(spec.qos)) return {};
  return {{Refusal::kForbidden, "qos", "qos", known, ClusterLimitSource(),
           MakeText(policy_cluster_messages::kQosNotAvailable,
                    {{"qos", spec.qos},
                     {"account", candidates.front()->account},
                     {"known", known}})}};
}

DisplayText NoAssociation(const Associations& own, const JobAccount& whose,
                          const JobSpec& spec) {
  if (whose.account.empty()) {
    return MakeText(policy_cluster_messages::kNoAssociation);
  }
  const bool elsewhere = std::any_of(
      own.begin(), own.end(),
      [&](const auto* row) { return row->account == whose.account; });
  if (!elsewhere) {
    return MakeText(policy_cluster_messages::kNoAssociationWithAccount,
                    {{"account", whose.account}});
  }
  return MakeText(policy_cluster_messages::kNoAssociationForPartition,
                  {{"account", whose.account}, {"partition", spec.partition}});
}

}  // namespace

std::vector<Violation> CheckSlurmAccount(const SlurmSnapshot& cluster,
                                         const JobAccount& whose,
                                         const JobSpec& spec) {
  if (cluster.accounting == nullptr) return {};
  const Associations own = OwnOf(*cluster.accounting, whose);
  const Associations candidates = CandidatesOf(own, whose, spec);
  if (!candidates.empty() || !KnowsAssociations(cluster)) {
    return CheckQos(cluster, candidates, spec);
  }
  if (!WrongAccount(cluster, whose.account).empty()) {
    return {{Refusal::kImpossible, whose.field, "account", whose.account,
             ClusterLimitSource(),
             MakeText(policy_cluster_messages::kAccountUnknownForJob,
                      {{"account", whose.account}})}};
  }
  return {{Refusal::kImpossible, whose.field, "association", whose.account,
           ClusterLimitSource(), NoAssociation(own, whose, spec)}};
}

DisplayText WrongAccount(const SlurmSnapshot& cluster,
                         const std::string& account) {
  if (account.empty() || !KnowsAssociations(cluster) ||
      cluster.accounting->Find(account, "") != nullptr) {
    return "";
  }
  return MakeText(policy_cluster_messages::kAccountUnknown,
                  {{"account", account}});
}

DisplayText WrongQos(const SlurmSnapshot& cluster, const std::string& qos) {
  if (qos.empty() || !KnowsQos(cluster) ||
      cluster.accounting->FindQos(qos) != nullptr) {
    return "";
  }
  return MakeText(policy_cluster_messages::kQosUnknown, {{"qos", qos}});
}

DisplayText WrongPartition(const SlurmSnapshot& cluster,
                           const std::string& partition) {
  if (partition.empty() || cluster.asked_at == absl::InfinitePast()) return "";
  std::vector<std::string> names;
  for (const SlurmPartition& row : cluster.partitions) {
    if (row.name == partition) return "";
    names.push_back(row.name);
  }
  return MakeText(policy_cluster_messages::kPartitionUnknown,
                  {{"partition", partition}, {"known", QuotedList(names)}});
}

}  // namespace carme::backend
