#include "slurm-hooks/nodes/node_list.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace carme::node {
namespace {

constexpr size_t kMaxDigits = 9;

// The names of "1-3" or "07".
std::optional<std::vector<std::string>> ExpandRange(std::string_view range) {
  const size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last =
      dash == std::string_view::npos ? first : range.substr(dash + 1);
  for (const std::string_view number : {first, last}) {
    if (number.empty() || number.size() > kMaxDigits ||
        number.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  const int from = std::stoi(std::string(first));
  const int to = std::stoi(std::string(last));
  if (to < from || static_cast<size_t>(to - from) > kMaxListedNodes) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (int number = from; number <= to; ++number) {
    names.push_back(
        absl::StrFormat("%0*d", static_cast<int>(first.size()), number));
  }
  return names;
}

// The names of one part, "r[1-2]n[1-4]".
std::optional<std::vector<std::string>> ExpandPart(std::string_view part) {
  std::vector<std::string> names = {""};
  while (!part.empty()) {
    const size_t open = part.find('[');
    std::vector<std::string> next = {std::string(part.substr(0, open))};
    if (open == 0) {
      const size_t close = part.find(']');
      if (close == std::string_view::npos) return std::nullopt;
      next.clear();
      const std::string ranges(part.substr(1, close - 1));
      for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
        const auto expanded =
            ExpandRange(std::string_view(range.data(), range.size()));
        if (!expanded.has_value()) return std::nullopt;
        next.insert(next.end(), expanded->begin(), expanded->end());
      }
      part.remove_prefix(close + 1);
    } else {
      part.remove_prefix(std::min(open, part.size()));
    }
    if (names.size() * next.size() > kMaxListedNodes) return std::nullopt;
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& suffix : next) longer.push_back(name + suffix);
    }
    names = std::move(longer);
  }
  for (const std::string& name : names) {
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") !=
            std::string::npos) {
      return std::nullopt;
    }
  }
  return names;
}

// "2,2,1" for the chosen ones of "2(x3),1".
std::optional<std::vector<int>> CountsOfPart(
    const ReadVariable& read, const char* name,
    const std::vector<size_t>& positions) {
  const auto value = read(name);
  if (!value.has_value()) return std::nullopt;
  const auto all = ExpandCounts(*value);
  if (!all.has_value()) return std::nullopt;
  std::vector<int> part;
  for (const size_t position : positions) {
    if (position >= all->size()) return std::nullopt;
    part.push_back((*all)[position]);
  }
  return part;
}

}  // namespace

std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list) {
  std::vector<std::string> nodes;
  size_t begin = 0;
  bool in_brackets = false;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) {
      if (list[i] == '[') in_brackets = true;
      if (list[i] == ']') in_brackets = false;
      if (list[i] != ',' || in_brackets) continue;
    }
    const auto names = ExpandPart(list.substr(begin, i - begin));
    if (!names.has_value() || nodes.size() + names->size() > kMaxListedNodes) {
      return std::nullopt;
    }
    nodes.insert(nodes.end(), names->begin(), names->end());
    begin = i + 1;
  }
  if (nodes.empty()) return std::nullopt;
  return nodes;
}

std::optional<std::vector<int>> ExpandCounts(std::string_view counts) {
  std::vector<int> expanded;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(counts.data(), counts.size()), ',')) {
    const size_t open = part.find("(x");
    int count = 0;
    int times = 1;
    if (!absl::SimpleAtoi(part.substr(0, open), &count) || count < 0 ||
        (open != absl::string_view::npos &&
         (part.back() != ')' ||
          !absl::SimpleAtoi(part.substr(open + 2, part.size() - open - 3),
                            &times) ||
          times < 1 || static_cast<size_t>(times) > kMaxListedNodes))) {
      return std::nullopt;
    }
    expanded.insert(expanded.end(), static_cast<size_t>(times), count);
    if (expanded.size() > kMaxListedNodes) return std::nullopt;
  }
  return expanded;
}

std::map<std::string, std::string> VariablesOfPart(
    const ReadVariable& read, const std::vector<std::string>& nodes,
    const std::vector<size_t>& positions) {
  std::map<std::string, std::string> changed;
  const std::string list = absl::StrJoin(nodes, ",");
  for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    changed[name] = list;
  }
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}) {
    changed[name] = absl::StrCat(nodes.size());
  }
  const auto cpus = CountsOfPart(read, "SLURM_JOB_CPUS_PER_NODE", positions);
  changed["SLURM_JOB_CPUS_PER_NODE"] =
      cpus.has_value() ? absl::StrJoin(*cpus, ",") : "";
  const auto tasks = CountsOfPart(read, "SLURM_TASKS_PER_NODE", positions);
  changed["SLURM_TASKS_PER_NODE"] =
      tasks.has_value() ? absl::StrJoin(*tasks, ",") : "";
  // without them, Slurm computes the number of tasks from the options of srun
  for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS"}) {
    if (!read(name).has_value()) continue;
    changed[name] =
        tasks.has_value()
            ? absl::StrCat(std::accumulate(tasks->begin(), tasks->end(), 0))
            : "";
  }
  return changed;
}

std::vector<std::string> VariablesWithNodes(
    const std::vector<std::string>& variables,
    const std::vector<std::string>& nodes) {
  const ReadVariable read =
      [&](const std::string& name) -> std::optional<std::string> {
    const std::string prefix = absl::StrCat(name, "=");
    for (const std::string& entry : variables) {
      if (entry.starts_with(prefix)) return entry.substr(prefix.size());
    }
    return std::nullopt;
  };
  const auto all = ExpandNodeList(read("SLURM_JOB_NODELIST").value_or(""));
  if (!all.has_value() || nodes.empty() || nodes.size() >= all->size()) {
    return variables;
  }
  std::vector<size_t> positions;
  for (const std::string& node : nodes) {
    const auto found = std::find(all->begin(), all->end(), node);
    if (found == all->end()) return variables;
    positions.push_back(static_cast<size_t>(found - all->begin()));
  }
  const auto changed = VariablesOfPart(read, nodes, positions);
  std::vector<std::string> result;
  for (const std::string& entry : variables) {
    if (!changed.contains(entry.substr(0, entry.find('=')))) {
      result.push_back(entry);
    }
  }
  for (const auto& [name, value] : changed) {
    if (!value.empty()) result.push_back(absl::StrCat(name, "=", value));
  }
  return result;
}

}  // namespace carme::node
