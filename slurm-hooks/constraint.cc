#include "slurm-hooks/constraint.h"

namespace carme::hooks {
namespace {

constexpr std::string_view kBetweenFeatures = "&|[](),";

// `gpu*2` is two nodes with the feature `gpu`.
std::string_view WithoutCount(std::string_view word) {
  return word.substr(0, word.find('*'));
}

}  // namespace

bool NamesFeature(std::string_view constraints, std::string_view feature) {
  if (feature.empty()) return false;
  while (!constraints.empty()) {
    const size_t end = constraints.find_first_of(kBetweenFeatures);
    if (WithoutCount(constraints.substr(0, end)) == feature) return true;
    if (end == std::string_view::npos) return false;
    constraints.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace carme::hooks
