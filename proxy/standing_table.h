// What is said of the jobs, in one loop.
#ifndef CARME_PROXY_STANDING_TABLE_H_
#define CARME_PROXY_STANDING_TABLE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "common/ids.h"
#include "proxy/route_table.h"
#include "proxy/standing.h"

namespace carme::proxy {

// Thread rule: its loop's thread.
class StandingTable {
 public:
  // A snapshot of the backend's replaces everything.
  void Apply(const RouteUpdate& update);
  // Null: nothing is said of it.
  const Standing* Find(const JobId& job) const;

 private:
  absl::flat_hash_map<std::string, StandingPtr> standings_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_STANDING_TABLE_H_
