// What a benchmark prints, and the statistics it needs for that.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_REPORT_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_REPORT_H_

#include <string>
#include <vector>

namespace carme::bench {

// A JSON object a line on stdout.
class Report {
 public:
  explicit Report(std::string bench) : bench_(std::move(bench)) {}
  void Value(const std::string& subject, const std::string& metric,
             double value, const std::string& unit) const;
  void Ratio(const std::string& subject, const std::string& peer,
             double value) const;

 private:
  std::string bench_;
};

// A line of progress on stderr.
void Progress(const std::string& line);
// The same, and the end of the run.
[[noreturn]] void GiveUp(const std::string& error);

// 0 of nothing. They sort their own copy.
double Median(std::vector<double> values);
double Percentile(std::vector<float> values, double percent);

// From the environment, as for every benchmark here: WINDOW_S (of one
// measurement, 3), ROUNDS (3), CONNECTIONS, …
double Setting(const char* name, double usual);

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_REPORT_H_
