#include "common/metric_rules/group_index.h"

namespace carme::metric_rules {

void GroupIndex::Add(const Labels& labels, size_t item) {
  items_[MaskOf(labels)].emplace_back(&labels, item);
}

std::vector<size_t> GroupIndex::Find(const Labels& group) {
  const Mask own = MaskOf(group);
  std::vector<size_t> found;
  for (const auto& [mask, items] : items_) {
    AddFound(mask, static_cast<Mask>(mask & own), group, &found);
  }
  return found;
}

std::vector<size_t> GroupIndex::FindExact(const Labels& group) {
  const Mask own = MaskOf(group);
  std::vector<size_t> found;
  if (items_.contains(own)) AddFound(own, own, group, &found);
  return found;
}

GroupIndex::Mask GroupIndex::MaskOf(const Labels& labels) const {
  Mask mask = 0;
  for (size_t i = 0; i < per_.size(); ++i) {
    if (labels.contains(per_[i])) mask = static_cast<Mask>(mask | 1U << i);
  }
  return mask;
}

GroupIndex::Key GroupIndex::KeyOf(const Labels& labels, Mask mask) const {
  Key key;
  for (size_t i = 0; i < per_.size(); ++i) {
    if ((mask >> i & 1U) != 0) key.push_back(labels.at(per_[i]));
  }
  return key;
}

const GroupIndex::ByKey& GroupIndex::Indexed(Mask mask, Mask compared) {
  const auto [found, is_new] = indexes_.try_emplace({mask, compared});
  if (is_new) {
    for (const auto& [labels, item] : items_[mask]) {
      found->second[KeyOf(*labels, compared)].push_back(item);
    }
  }
  return found->second;
}

void GroupIndex::AddFound(Mask mask, Mask compared, const Labels& group,
                          std::vector<size_t>* found) {
  const ByKey& index = Indexed(mask, compared);
  const auto items = index.find(KeyOf(group, compared));
  if (items == index.end()) return;
  found->insert(found->end(), items->second.begin(), items->second.end());
}

}  // namespace carme::metric_rules
