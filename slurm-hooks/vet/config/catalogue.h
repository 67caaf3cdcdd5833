// The evaluations that a configuration can name, with their parameters, and the
// names that they have in vetnode's two dialects.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_CATALOGUE_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_CATALOGUE_H_

#include <initializer_list>
#include <span>
#include <string_view>

namespace carme::vet {

enum class ParameterKind {
  kText,
  kCount,      // a whole number
  kNumber,     // not negative
  kBool,       // true or false
  kBytes,      // "4 GB"
  kRate,       // "15 GB/s"
  kSeconds,    // "3 s"
  kTexts,      // a list of texts
  kCommand,    // a text for the shell, or a list: program and arguments
  kVariables,  // a map of texts; null: any value
  kTopology,   // one of the texts kIntranode, kInternode, kFull
};

// What is measured: within each node, between pairs of nodes, or both.
inline constexpr std::string_view kIntranode = "intranode";
inline constexpr std::string_view kInternode = "internode";
inline constexpr std::string_view kFull = "full";

// Methods of `nccl`: a sum on all GPUs, data from each GPU in turn to all
// others, a sum on each pair of GPUs.
inline constexpr std::string_view kAllReduce = "allreduce";
inline constexpr std::string_view kBroadcast = "broadcast";
inline constexpr std::string_view kRoundRobin = "roundrobin";

struct ParameterType {
  std::string_view key;  // "warmup.runs": `runs` in the map `warmup`
  ParameterKind kind;
  bool is_required = false;
  // Not used by Carme; accepted from vetnode's configurations. The reason.
  std::string_view ignored{};
  // Refused unless the evaluation is measured between nodes.
  bool is_between_nodes = false;
};

// Where an evaluation runs.
enum class Place {
  kNode,   // on each node, on its own; by its topology, also between pairs
  kClock,  // between each node and the coordinator
  kLinks,  // between pairs of nodes
};

struct EvaluationType {
  std::string_view name;
  std::span<const ParameterType> parameters;
  double timeout_s;  // unless the configuration sets it
  Place place = Place::kNode;
};

std::span<const EvaluationType> Catalogue();

// What a name of vetnode means if the configuration does not set it.
struct ParameterDefault {
  std::string_view key;
  std::string_view value;  // as in YAML
};

struct EvaluationName {
  const EvaluationType* type = nullptr;  // nullptr: the name is unknown
  std::span<const ParameterDefault> defaults{};
};

// Of a name of the catalogue, which has no defaults, or of vetnode.
EvaluationName FindEvaluationType(std::string_view name);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CONFIG_CATALOGUE_H_
