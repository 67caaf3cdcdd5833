#include "tests/bench/proxy/load/report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace carme::bench {

void Report::Value(const std::string& subject, const std::string& metric,
                   double value, const std::string& unit) const {
  std::printf(
      "{\"bench\":\"%s\",\"subject\":\"%s\",\"metric\":\"%s\","
      "\"value\":%.3f,\"unit\":\"%s\"}\n",
      bench_.c_str(), subject.c_str(), metric.c_str(), value, unit.c_str());
  std::fflush(stdout);
}

void Report::Ratio(const std::string& subject, const std::string& peer,
                   double value) const {
  Value(subject, "ratio:" + subject + "/" + peer, value, "");
}

void Progress(const std::string& line) {
  std::fprintf(stderr, "      %s\n", line.c_str());
}

void GiveUp(const std::string& error) {
  std::fprintf(stderr, "proxy_bench: %s\n", error.c_str());
  // Not exit(): other threads use what it would destroy.
  std::fflush(stdout);
  std::_Exit(1);
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

double Percentile(std::vector<float> values, double percent) {
  if (values.empty()) return 0;
  auto at = static_cast<size_t>(static_cast<double>(values.size() - 1) *
                                percent / 100);
  std::nth_element(values.begin(), values.begin() + static_cast<long>(at),
                   values.end());
  return values[at];
}

double Setting(const char* name, double usual) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::atof(value) : usual;
}

}  // namespace carme::bench
