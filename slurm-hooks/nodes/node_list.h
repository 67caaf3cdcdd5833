// Slurm's lists of nodes, and its variables for a job that has only some of its
// nodes. Functions over values.
#ifndef CARME_SLURM_HOOKS_NODES_NODE_LIST_H_
#define CARME_SLURM_HOOKS_NODES_NODE_LIST_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carme::node {

inline constexpr size_t kMaxListedNodes = 100000;

// Returns a variable; nullopt: it is not set.
using ReadVariable =
    std::function<std::optional<std::string>(const std::string& name)>;

// "n[1-3,07],login" as n1, n2, n3, n07, login. nullopt: malformed, or more than
// kMaxListedNodes names.
std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list);

// "2(x3),1" as 2, 2, 2, 1. nullopt: as above.
std::optional<std::vector<int>> ExpandCounts(std::string_view counts);

// The variables of a job that has these nodes only, for programs that read them
// instead of asking Slurm. Empty value: remove it. `positions`: of the nodes in
// the job's list.
std::map<std::string, std::string> VariablesOfPart(
    const ReadVariable& read, const std::vector<std::string>& nodes,
    const std::vector<size_t>& positions);

// All variables ("NAME=value") of a job that has these of its nodes only.
// Returns `variables` if the job has no others, or not these.
std::vector<std::string> VariablesWithNodes(
    const std::vector<std::string>& variables,
    const std::vector<std::string>& nodes);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_NODE_LIST_H_
