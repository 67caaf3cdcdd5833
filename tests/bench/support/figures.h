// Output of a benchmark: one JSON object a line, as in tests/bench/run.
#ifndef CARME_TESTS_BENCH_SUPPORT_FIGURES_H_
#define CARME_TESTS_BENCH_SUPPORT_FIGURES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace carme {

// Of the benchmark of this name.
class Figures {
 public:
  explicit constexpr Figures(const char* bench) : bench_(bench) {}
  void Print(const std::string& subject, const std::string& metric,
             double value, const char* unit) const;

 private:
  const char* const bench_;
};

// The value that `percent` of them do not exceed. REQUIRES: there are some.
double Percentile(std::vector<double> values, size_t percent);

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_FIGURES_H_
