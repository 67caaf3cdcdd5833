#include "slurm-hooks/vet/cli/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/file.h"
#include "common/printable.h"
#include "slurm-hooks/vet/cli/messages.h"
#include "slurm-hooks/vet/config/messages.h"

namespace carme::vet {
namespace {

using node::v1::VetResult;
using node::v1::VetStatus;

constexpr size_t kStatusWidth = 7;  // of the longest name

const char* StatusName(VetStatus status) {
  switch (status) {
    case node::v1::VET_STATUS_PASSED:
      return "passed";
    case node::v1::VET_STATUS_FAILED:
      return "failed";
    case node::v1::VET_STATUS_SKIPPED:
      return "skipped";
    default:
      return "unknown";
  }
}

// RFC 8259, section 7.
std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : ValidUtf8(text)) {
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
      quoted.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<unsigned>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string JsonMetrics(const VetResult& result) {
  // the map of the message has no order
  const std::map<std::string, double> metrics(result.metrics().begin(),
                                              result.metrics().end());
  std::string text = "{";
  for (const auto& [name, value] : metrics) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", JsonText(name), ":",
                    absl::StrFormat("%.9g", value));
  }
  return text + "}";
}

const char* Verdict(const NodeReport& node) {
  return node.is_healthy() ? "vetted" : "cordon";
}

}  // namespace

std::string TextReport(const VetRun& run, bool verbose) {
  // Equal results of several nodes are one line.
  using Key = std::tuple<size_t, VetStatus, std::string>;
  std::map<Key, std::vector<std::string>> hosts;
  for (const NodeReport& node : run.nodes) {
    for (size_t i = 0; i < node.results.size(); ++i) {
      const VetResult& result = node.results[i];
      if (!verbose && result.status() == node::v1::VET_STATUS_PASSED) continue;
      hosts[{i, result.status(), result.reason()}].push_back(node.host);
    }
  }
  std::string text;
  for (const auto& [key, names] : hosts) {
    const auto& [position, status, reason] = key;
    const Evaluation& evaluation = run.config.evaluations[position];
    const bool is_shared = names.size() > 1;
    absl::StrAppend(
        &text,
        FormatMessage(
            is_shared ? vet_messages::kResultOfMany : vet_messages::kResult,
            {{is_shared ? "count" : "host",
              is_shared ? absl::StrCat(names.size()) : names[0]},
             {"status", StatusName(status)},
             {"evaluation", evaluation.name},
             {"type", evaluation.type->name},
             {"reason", reason.empty() ? "" : absl::StrCat(": ", reason)}}),
        "\n");
  }
  for (const NodeReport& node : run.nodes) {
    absl::StrAppend(&text,
                    FormatMessage(node.is_healthy() ? vet_messages::kVetted
                                                    : vet_messages::kCordon,
                                  {{"host", node.host}}),
                    "\n");
  }
  return text;
}

std::string GridReport(const VetRun& run) {
  size_t host_width = 4;
  for (const NodeReport& node : run.nodes) {
    host_width = std::max(host_width, node.host.size());
  }
  std::string text =
      absl::StrFormat("%-*s", static_cast<int>(host_width), "node");
  std::vector<size_t> widths;
  for (const Evaluation& evaluation : run.config.evaluations) {
    const size_t length =
        PrintableLength(evaluation.name).value_or(evaluation.name.size());
    widths.push_back(std::max(length, kStatusWidth));
    absl::StrAppend(&text, "  ", evaluation.name,
                    std::string(widths.back() - length, ' '));
  }
  text += "  verdict\n";
  for (const NodeReport& node : run.nodes) {
    absl::StrAppendFormat(&text, "%-*s", static_cast<int>(host_width),
                          node.host);
    for (size_t i = 0; i < node.results.size(); ++i) {
      absl::StrAppendFormat(&text, "  %-*s", static_cast<int>(widths[i]),
                            StatusName(node.results[i].status()));
    }
    absl::StrAppend(&text, "  ", Verdict(node), "\n");
  }
  return text;
}

std::string JsonReport(const VetRun& run) {
  std::string text;
  for (const NodeReport& node : run.nodes) {
    for (size_t i = 0; i < node.results.size(); ++i) {
      const VetResult& result = node.results[i];
      const Evaluation& evaluation = run.config.evaluations[i];
      absl::StrAppend(
          &text, "{\"host\":", JsonText(node.host),
          ",\"evaluation\":", JsonText(evaluation.name),
          ",\"type\":", JsonText(evaluation.type->name), ",\"status\":\"",
          StatusName(result.status()),
          "\",\"reason\":", JsonText(result.reason()),
          ",\"elapsed_s\":", absl::StrFormat("%.6g", result.elapsed_s()),
          ",\"metrics\":", JsonMetrics(result), "}\n");
    }
  }
  for (const Link& link : run.links) {
    absl::StrAppend(
        &text, "{\"link\":[", JsonText(run.nodes[link.a].host), ",",
        JsonText(run.nodes[link.b].host), "],\"evaluation\":",
        JsonText(run.config.evaluations[link.evaluation].name),
        ",\"latency_s\":", absl::StrFormat("%.6g", link.latency_s),
        ",\"bytes_per_second\":", absl::StrFormat("%.9g", link.bandwidth),
        ",\"problem\":", JsonText(link.problem),
        ",\"skipped\":", JsonText(link.skipped), "}\n");
  }
  for (const NodeReport& node : run.nodes) {
    absl::StrAppend(&text, "{\"host\":", JsonText(node.host),
                    ",\"node_type\":", JsonText(node.node_type),
                    ",\"verdict\":\"", Verdict(node), "\"}\n");
  }
  return text;
}

std::string Report(const VetRun& run, const Options& options) {
  if (options.json) return JsonReport(run);
  const std::string grid = options.grid ? GridReport(run) : "";
  return grid + TextReport(run, options.verbose);
}

absl::Status LearnFrom(const VetRun& run, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  auto loaded = LoadBaseline(path);
  if (!loaded.ok() && !absl::IsNotFound(loaded.status())) {
    return loaded.status();
  }
  Baseline baseline = loaded.ok() ? *std::move(loaded) : Baseline();
  std::vector<NodeMeasurement> measured;
  for (const NodeReport& node : run.nodes) {
    if (!node.is_healthy()) continue;
    NodeMeasurement measurement{node.node_type, {}};
    for (size_t i = 0; i < node.results.size(); ++i) {
      if (run.config.evaluations[i].type->name != "compute") continue;
      for (const auto& [name, value] : node.results[i].metrics()) {
        measurement.metrics[name] = value;
      }
    }
    if (!measurement.metrics.empty()) measured.push_back(measurement);
  }
  Learn(measured, &baseline);
  const absl::Status written = WriteFile(path, FormatBaseline(baseline), 0644);
  if (!written.ok()) {
    return MakePlainError(config_messages::kBaselineNotWritten,
                          {{"path", path}, {"cause", written.message()}});
  }
  std::fprintf(stderr, "carme vet: %s\n",
               FormatMessage(vet_messages::kLearned,
                             {{"path", path}, {"nodes", measured.size()}})
                   .c_str());
  return absl::OkStatus();
}

}  // namespace carme::vet
