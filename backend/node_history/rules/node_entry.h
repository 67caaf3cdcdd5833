// One thing that happened on a node, as a row of its history.
#ifndef CARME_BACKEND_NODE_HISTORY_RULES_NODE_ENTRY_H_
#define CARME_BACKEND_NODE_HISTORY_RULES_NODE_ENTRY_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "carme/v1/node_history.pb.h"
#include "common/display_text.h"

namespace carme::backend {

// carme.v1.NodeHistoryEntry as a plain value.
struct NodeEntry {
  int64_t sequence = 0;  // 0: not stored yet
  std::string node{};
  absl::Time at{};
  v1::NodeEntrySource source = v1::NODE_ENTRY_SOURCE_UNSPECIFIED;
  v1::NodeEntrySeverity severity = v1::NODE_ENTRY_SEVERITY_ERROR;
  std::string name{};
  // What entries that count as one have in common: a job, or a run. There is
  // one entry for each node, source, run and name.
  std::string run{};
  std::string job_id{};
  uint32_t slurm_job_id = 0;
  std::string user{};
  DisplayText text{};
  friend bool operator==(const NodeEntry&, const NodeEntry&) = default;
};

// The name of the entry after which older ones count no more.
inline constexpr char kResumeEntry[] = "resume";

// Whether neither a job nor its user can cause an entry of this source.
constexpr bool IsSiteRun(v1::NodeEntrySource source) {
  return source == v1::NODE_ENTRY_SOURCE_PROLOG_VET ||
         source == v1::NODE_ENTRY_SOURCE_SITE_VET;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_RULES_NODE_ENTRY_H_
