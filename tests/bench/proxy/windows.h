// Measuring in turns: one window of each subject after the other, several
// rounds, medians. So what else the machine does hits all alike.
#ifndef CARME_TESTS_BENCH_PROXY_WINDOWS_H_
#define CARME_TESTS_BENCH_PROXY_WINDOWS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/proxy/load/load.h"
#include "tests/bench/proxy/load/report.h"
#include "tests/bench/proxy/subjects/neighbours.h"
#include "tests/bench/proxy/subjects/subject.h"

namespace carme::bench {

// Medians of the rounds.
struct Measured {
  double cpu_us = 0;    // the subject's processor time for a unit of work
  double alone_us = 0;  // of nginx-auth: without the service that it asks
  double per_s = 0;     // units that clients got
  double p50_us = 0, p99_us = 0;
  double subject_busy = 0;  // of its core, 0 to 1
  double load_busy = 0;     // the same of clients and app
};

using Subjects = std::vector<std::unique_ptr<Subject>>;
using Results = std::map<std::string, Measured>;

// Starts each; they all run at once, and rest but for one at a time.
Subjects StartAll(Neighbours& neighbours, const std::vector<std::string>& names,
                  const SubjectOptions& options = {});

// `begin` starts the load on a subject, on the loop's thread.
Results MeasureInTurns(Neighbours& neighbours, const Subjects& subjects,
                       const std::function<void(Load&, const Subject&)>& begin);

// A line for each figure; `unit` of work in the singular: "request".
void PrintAll(const Report& report, const Subjects& subjects,
              const Results& results, const std::string& unit);
// Work for a second of processor time, `subject` to each other subject but
// "none". nginx-auth has two lines: the service that it asks is a part of it,
// but not all would count it, so that nginx alone stands beside it.
void PrintCapacities(const Report& report, const Subjects& subjects,
                     const Results& results,
                     const std::string& subject = "carme");

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_WINDOWS_H_
