#include "slurm-hooks/vet/coordination/link_matrix.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/coordination/messages.h"

namespace carme::vet {
namespace {

constexpr size_t kMinLinksForMedian = 3;

double MedianBandwidth(const std::vector<Link>& links) {
  std::vector<double> values;
  for (const Link& link : links) {
    if (link.problem.empty() && link.skipped.empty()) {
      values.push_back(link.bandwidth);
    }
  }
  if (values.size() < kMinLinksForMedian) return 0;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::map<size_t, size_t> CountByNode(const std::vector<BadLink>& bad) {
  std::map<size_t, size_t> counts;
  for (const BadLink& link : bad) {
    ++counts[link.a];
    ++counts[link.b];
  }
  return counts;
}

// A node with more bad links than each of its partners.
std::optional<size_t> MostGuilty(const std::vector<BadLink>& bad) {
  const auto counts = CountByNode(bad);
  std::optional<size_t> found;
  for (const auto& entry : counts) {
    const size_t node = entry.first;
    const size_t count = entry.second;
    const bool exceeds_partners =
        std::all_of(bad.begin(), bad.end(), [&](const BadLink& link) {
          if (link.a != node && link.b != node) return true;
          return counts.at(link.a == node ? link.b : link.a) < count;
        });
    if (exceeds_partners && (!found || count > counts.at(*found))) {
      found = node;
    }
  }
  return found;
}

}  // namespace

std::vector<BadLink> FindBadLinks(const std::vector<Link>& links,
                                  const Parameters& limits,
                                  const std::vector<std::string>& names) {
  const auto min_bandwidth = limits.Number("min_bandwidth");
  const double min =
      std::max(min_bandwidth.value_or(0),
               limits.Number("min_ratio").value_or(0) * MedianBandwidth(links));
  const auto max_latency = limits.Number("max_latency");
  std::vector<BadLink> bad;
  for (const Link& link : links) {
    if (!link.skipped.empty()) continue;
    const std::string& a = names[std::min(link.a, link.b)];
    const std::string& b = names[std::max(link.a, link.b)];
    std::string reason;
    if (!link.problem.empty()) {
      reason = FormatMessage(coordination_messages::kLinkUnreachable,
                             {{"a", a}, {"b", b}, {"cause", link.problem}});
    } else if (link.bandwidth < min ||
               (link.is_by_nccl && min_bandwidth == link.bandwidth)) {
      reason =
          FormatMessage(link.is_by_nccl ? coordination_messages::kLinkSlowByNccl
                                        : coordination_messages::kLinkSlow,
                        {{"a", a},
                         {"b", b},
                         {"found", FormatBytes(link.bandwidth)},
                         {"expected", FormatBytes(min)}});
    } else if (max_latency.has_value() && link.latency_s > *max_latency) {
      reason = FormatMessage(coordination_messages::kLinkLatency,
                             {{"a", a},
                              {"b", b},
                              {"found", FormatSeconds(link.latency_s)},
                              {"expected", FormatSeconds(*max_latency)}});
    }
    if (!reason.empty()) bad.push_back({link.a, link.b, reason});
  }
  return bad;
}

Attribution Attribute(std::vector<BadLink> bad) {
  Attribution result;
  while (const auto node = MostGuilty(bad)) {
    result.guilty.push_back(*node);
    std::erase_if(bad, [&](const BadLink& link) {
      return link.a == *node || link.b == *node;
    });
  }
  std::sort(result.guilty.begin(), result.guilty.end());
  result.undecided = std::move(bad);
  return result;
}

std::vector<size_t> WithoutBadLinks(std::vector<size_t> candidates,
                                    const std::vector<BadLink>& bad) {
  std::set<size_t> chosen(candidates.begin(), candidates.end());
  while (true) {
    std::vector<BadLink> left;
    for (const BadLink& link : bad) {
      if (chosen.contains(link.a) && chosen.contains(link.b)) {
        left.push_back(link);
      }
    }
    if (left.empty()) break;
    const auto counts = CountByNode(left);
    // the last of those with most bad links
    const auto worst = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second <= b.second; });
    chosen.erase(worst->first);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace carme::vet
