#include "proxy/standing_table.h"

namespace carme::proxy {

void StandingTable::Apply(const RouteUpdate& update) {
  if (update.snapshot) standings_.clear();
  for (const auto& [job, standing] : update.standings) {
    if (standing == nullptr) {
      standings_.erase(job.value());
    } else {
      standings_.insert_or_assign(job.value(), standing);
    }
  }
}

const Standing* StandingTable::Find(const JobId& job) const {
  const auto found = standings_.find(job.value());
  return found == standings_.end() ? nullptr : found->second.get();
}

}  // namespace carme::proxy
