#include "tests/bench/support/figures.h"

#include <algorithm>
#include <cstdio>

namespace carme {

void Figures::Print(const std::string& subject, const std::string& metric,
                    double value, const char* unit) const {
  std::printf(
      "{\"bench\":\"%s\",\"subject\":\"%s\",\"metric\":\"%s\","
      "\"value\":%.3f,\"unit\":\"%s\"}\n",
      bench_, subject.c_str(), metric.c_str(), value, unit);
  std::fflush(stdout);
}

double Percentile(std::vector<double> values, size_t percent) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

}  // namespace carme
