#include "backend/policy/cluster/slurm_account.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "backend/policy/spec/quoted.h"

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
    return {{Refusal::kImpossible, "qos", "qos", known, "cluster",
             absl::StrCat("Slurm has no QOS ", Quoted(spec.qos),
                          ": expected one of: ", known)}};
  }
  // An empty list means that QOS are hidden or not configured.
  if (usable.empty() || usable.contains(spec.qos)) return {};
  return {{Refusal::kForbidden, "qos", "qos", known, "cluster",
           absl::StrCat("QOS ", Quoted(spec.qos),
                        " is not available to you in account ",
                        Quoted(candidates.front()->account),
                        ": expected one of: ", known)}};
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
  const std::string wrong = WrongAccount(cluster, whose.account);
  if (!wrong.empty()) {
    return {{Refusal::kImpossible, whose.field, "account", whose.account,
             "cluster",
             absl::StrCat(wrong, ": ask an administrator to change it")}};
  }
  std::string where = "in Slurm";
  if (!whose.account.empty()) {
    where = absl::StrCat("with Slurm account ", Quoted(whose.account));
    const bool elsewhere = std::any_of(
        own.begin(), own.end(),
        [&](const auto* row) { return row->account == whose.account; });
    if (elsewhere) {
      absl::StrAppend(&where, " for partition ", Quoted(spec.partition));
    }
  }
  return {{Refusal::kImpossible, whose.field, "association", whose.account,
           "cluster",
           absl::StrCat("you have no association ", where,
                        ": ask an administrator of the cluster for one")}};
}

std::string WrongAccount(const SlurmSnapshot& cluster,
                         const std::string& account) {
  if (account.empty() || !KnowsAssociations(cluster) ||
      cluster.accounting->Find(account, "") != nullptr) {
    return "";
  }
  return absl::StrCat("Slurm has no account ", Quoted(account));
}

std::string WrongQos(const SlurmSnapshot& cluster, const std::string& qos) {
  if (qos.empty() || !KnowsQos(cluster) ||
      cluster.accounting->FindQos(qos) != nullptr) {
    return "";
  }
  return absl::StrCat("Slurm has no QOS ", Quoted(qos));
}

std::string WrongPartition(const SlurmSnapshot& cluster,
                           const std::string& partition) {
  if (partition.empty() || cluster.asked_at == absl::InfinitePast()) return "";
  std::vector<std::string> names;
  for (const SlurmPartition& row : cluster.partitions) {
    if (row.name == partition) return "";
    names.push_back(row.name);
  }
  return absl::StrCat(
      "partition ", Quoted(partition),
      " is not on this cluster: expected one of: ", QuotedList(names));
}

}  // namespace carme::backend
