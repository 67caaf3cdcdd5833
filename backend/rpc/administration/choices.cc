#include "backend/rpc/administration/choices.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/rpc/convert/paging.h"

namespace carme::backend {
namespace {

ChoiceList Named(const std::set<std::string>& names, bool complete) {
  ChoiceList list{.complete = complete};
  for (const std::string& name : names) {
    if (!name.empty()) list.names.push_back({.value = name});
  }
  return list;
}

ChoiceList AccountsOf(const SlurmSnapshot& cluster) {
  std::set<std::string> names;
  for (const SlurmAssociation& row : cluster.accounting->associations) {
    names.insert(row.account);
  }
  return Named(names,
               !names.empty() && !cluster.enforcement.hides_associations);
}

ChoiceList QosOf(const SlurmSnapshot& cluster) {
  std::set<std::string> names;
  for (const SlurmQos& row : cluster.accounting->qos) names.insert(row.name);
  return Named(names, !names.empty());
}

bool SameName(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(absl::string_view(a.data(), a.size()),
                                absl::string_view(b.data(), b.size()));
}

}  // namespace

ChoiceList ChoicesOfSlurm(const SlurmSnapshot& cluster, v1::ChoiceKind kind) {
  const bool of_accounting =
      kind == v1::CHOICE_KIND_ACCOUNT || kind == v1::CHOICE_KIND_QOS;
  if (of_accounting) {
    if (cluster.accounting == nullptr) return {};
    return kind == v1::CHOICE_KIND_QOS ? QosOf(cluster) : AccountsOf(cluster);
  }
  if (cluster.asked_at == absl::InfinitePast()) return {};
  std::set<std::string> names;
  if (kind == v1::CHOICE_KIND_PARTITION) {
    for (const SlurmPartition& row : cluster.partitions) names.insert(row.name);
    return Named(names, true);
  }
  if (kind == v1::CHOICE_KIND_RESERVATION) {
    for (const SlurmReservation& row : cluster.reservations) {
      names.insert(row.name);
    }
    return Named(names, !cluster.reservations_hidden);
  }
  if (kind == v1::CHOICE_KIND_GPU_TYPE) {
    return Named(GpuTypesOf(NodesForJobs(cluster, "")), true);
  }
  return {};
}

bool MoveToFront(std::string_view text, std::vector<ChoiceName>* names) {
  const auto found = std::find_if(
      names->begin(), names->end(),
      [&](const ChoiceName& name) { return SameName(name.value, text); });
  if (found == names->end()) return false;
  std::rotate(names->begin(), found, found + 1);
  return true;
}

ChoiceList Matching(const ChoiceList& all, std::string_view text, size_t max) {
  ChoiceList list{.complete = all.complete};
  for (const ChoiceName& name : all.names) {
    if (ContainsText(name.value, text) || ContainsText(name.label, text)) {
      list.names.push_back(name);
    }
  }
  MoveToFront(text, &list.names);
  list.more = list.names.size() > max;
  if (list.more) list.names.resize(max);
  return list;
}

}  // namespace carme::backend
