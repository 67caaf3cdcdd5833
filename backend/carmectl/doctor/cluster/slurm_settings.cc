#include "backend/carmectl/doctor/cluster/slurm_settings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/status.h"

namespace carme::carmectl {

absl::StatusOr<std::map<std::string, std::string>> ReadSlurmSettings(
    const Host& host) {
  ASSIGN_OR_RETURN(const ToolResult shown,
                   host.RunScontrol({"show", "config"}));
  std::map<std::string, std::string> settings;
  for (absl::string_view line : absl::StrSplit(shown.output, '\n')) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    std::string value(absl::StripAsciiWhitespace(pair.second));
    if (value == "(null)" || value == "N/A") value.clear();
    settings.emplace(absl::StripAsciiWhitespace(pair.first), value);
  }
  return settings;
}

absl::StatusOr<std::vector<std::string>> NodesWithFeature(
    const Host& host, const std::string& feature) {
  ASSIGN_OR_RETURN(const ToolResult shown,
                   host.RunScontrol({"--oneliner", "show", "nodes"}));
  std::vector<std::string> nodes;
  for (absl::string_view line : absl::StrSplit(shown.output, '\n')) {
    std::string name;
    for (absl::string_view field : absl::StrSplit(line, ' ')) {
      if (absl::ConsumePrefix(&field, "NodeName=")) name = std::string(field);
      if (absl::ConsumePrefix(&field, "AvailableFeatures=") &&
          ListHas(std::string(field), feature)) {
        nodes.push_back(name);
      }
    }
  }
  return nodes;
}

std::string CarmeFeature(const Host& host) {
  if (host.backend()) return host.backend()->feature;
  return host.node() ? host.node()->feature : "carme";
}

bool ListHas(const std::string& list, const std::string& item) {
  for (absl::string_view each : absl::StrSplit(list, ',')) {
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(each), item)) {
      return true;
    }
  }
  return false;
}

}  // namespace carme::carmectl
