// Finds the series, or events, of a group by its labels, without a search over
// all of them. Pure.
#ifndef CARME_COMMON_METRIC_RULES_GROUP_INDEX_H_
#define CARME_COMMON_METRIC_RULES_GROUP_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace carme::metric_rules {

class GroupIndex {
 public:
  using Labels = std::map<std::string, std::string>;

  // `per`: the labels of groups, at most 8; must outlive this.
  explicit GroupIndex(const std::vector<std::string>& per) : per_(per) {}

  // `labels` must outlive this.
  void Add(const Labels& labels, size_t item);

  // The items with the labels of the group. A label that an item, or the group,
  // does not have is not compared: the memory of a node belongs to each of its
  // GPUs.
  std::vector<size_t> Find(const Labels& group);
  // The items that have these labels of `per`, and no further ones of `per`.
  std::vector<size_t> FindExact(const Labels& group);

 private:
  using Mask = uint8_t;  // which labels of `per`
  using Key = std::vector<std::string>;
  using Items = std::vector<std::pair<const Labels*, size_t>>;
  using ByKey = absl::flat_hash_map<Key, std::vector<size_t>>;

  Mask MaskOf(const Labels& labels) const;
  Key KeyOf(const Labels& labels, Mask mask) const;
  // The items of `mask` by their values of `compared`.
  const ByKey& Indexed(Mask mask, Mask compared);
  void AddFound(Mask mask, Mask compared, const Labels& group,
                std::vector<size_t>* found);

  const std::vector<std::string>& per_;
  std::map<Mask, Items> items_;
  std::map<std::pair<Mask, Mask>, ByKey> indexes_;  // made when needed
};

}  // namespace carme::metric_rules

#endif  // CARME_COMMON_METRIC_RULES_GROUP_INDEX_H_
