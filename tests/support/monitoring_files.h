// The metrics that the files of deploy/monitoring use.
#ifndef CARME_TESTS_SUPPORT_MONITORING_FILES_H_
#define CARME_TESTS_SUPPORT_MONITORING_FILES_H_

#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "common/file.h"

namespace carme::testing {

// The metrics with this prefix that rules, dashboard or template use and that
// `scrape`, a response of /metrics, does not describe.
inline std::set<std::string> MissingMetrics(const std::string& prefix,
                                            const std::string& scrape) {
  std::set<std::string> missing;
  size_t found = 0;
  for (const char* file :
       {"carme.rules.yml", "grafana-dashboard.json", "zabbix-template.yaml"}) {
    const auto text = ReadFile(
        std::string(CARME_SOURCE_DIR "/deploy/monitoring/") + file, 1 << 22);
    if (!text.ok()) throw std::runtime_error(text.status().ToString());
    const std::regex name(prefix + "[a-z_]+");
    for (std::sregex_iterator at(text->begin(), text->end(), name), end;
         at != end; ++at, ++found) {
      const std::string base =
          std::regex_replace(at->str(), std::regex("_(bucket|sum|count)$"), "");
      const std::string line = "# TYPE " + base + " ";
      if (scrape.find(line) == std::string::npos) missing.insert(base);
    }
  }
  if (found == 0) throw std::runtime_error("no metric begins with " + prefix);
  return missing;
}

}  // namespace carme::testing

#endif  // CARME_TESTS_SUPPORT_MONITORING_FILES_H_
