#include "slurm-hooks/vet/config/baseline.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "common/file.h"
#include "common/message.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"
#include "slurm-hooks/vet/config/messages.h"
#include "slurm-hooks/vet/config/quantity.h"

namespace carme::vet {
namespace {

constexpr int kMaxWeight = 1000;

std::string Quoted(std::string_view text) {
  const absl::string_view view(text.data(), text.size());
  return absl::StrCat(
      "\"", absl::StrReplaceAll(view, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

absl::StatusOr<Baseline> ParseBaseline(std::string_view text,
                                       const std::string& path) {
  ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  const auto refuse = [&](const YamlNode& node, const std::string& problem) {
    return YamlError(path, node.line, problem);
  };
  Baseline baseline;
  if (root.kind != YamlNode::Kind::kMap) {
    return refuse(root, FormatMessage(config_messages::kExpectedMap,
                                      {{"subject", "the file"}}));
  }
  for (const auto& [type, values] : root.entries) {
    if (values.kind != YamlNode::Kind::kMap) {
      return refuse(values, FormatMessage(config_messages::kExpectedMap,
                                          {{"subject", type}}));
    }
    NodeTypeBaseline& entry = baseline[type];
    for (const auto& [key, value] : values.entries) {
      const auto number = ParseNumber(value.text);
      if (!number.has_value() || (key == "nodes" && *number > 1e6)) {
        return refuse(value, FormatMessage(config_messages::kBadValue,
                                           {{"key", key},
                                            {"value", value.text},
                                            {"expected", "a number"}}));
      }
      if (key == "nodes") {
        entry.nodes = static_cast<int>(*number);
      } else {
        entry.metrics[key] = *number;
      }
    }
  }
  return baseline;
}

absl::StatusOr<Baseline> LoadBaseline(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseBaseline(text, path);
}

std::string FormatBaseline(const Baseline& baseline) {
  std::string text =
      "# Medians of healthy nodes by type, learned by carme vet --learn.\n";
  for (const auto& [type, values] : baseline) {
    absl::StrAppend(&text, Quoted(type), ":\n  nodes: ", values.nodes, "\n");
    for (const auto& [name, value] : values.metrics) {
      absl::StrAppend(&text, "  ", name, ": ", absl::StrFormat("%.6g", value),
                      "\n");
    }
  }
  return text;
}

void Learn(const std::vector<NodeMeasurement>& run, Baseline* baseline) {
  std::map<std::string, std::map<std::string, std::vector<double>>> by_type;
  std::map<std::string, int> nodes;
  for (const NodeMeasurement& node : run) {
    ++nodes[node.node_type];
    for (const auto& [name, value] : node.metrics) {
      by_type[node.node_type][name].push_back(value);
    }
  }
  for (const auto& [type, metrics] : by_type) {
    NodeTypeBaseline& entry = (*baseline)[type];
    const double old_weight = std::min(entry.nodes, kMaxWeight);
    const double new_weight = nodes[type];
    for (const auto& [name, values] : metrics) {
      const double median = Median(values);
      const auto old = entry.metrics.find(name);
      entry.metrics[name] =
          old == entry.metrics.end()
              ? median
              : (old->second * old_weight + median * new_weight) /
                    (old_weight + new_weight);
    }
    entry.nodes += nodes[type];
  }
}

}  // namespace carme::vet
