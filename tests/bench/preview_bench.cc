// preview_bench WORK: what the answer before submission costs, beside `sbatch
// --test-only`, while 10,000 jobs wait in the queue. Each question is a new
// one, so that none is answered from what was kept; the last subject is the
// same question again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tests/bench/submit_client.h"
#include "tests/bench/submit_peer.h"

namespace carme {
namespace {

constexpr int kJobs = 10000;
constexpr int kMostMinutes = 1200;  // of the partition's day

void Print(const char* subject, const char* metric, double value,
           const char* unit) {
  std::printf(
      "{\"bench\":\"preview\",\"subject\":\"%s\",\"metric\":\"%s\","
      "\"value\":%.3f,\"unit\":\"%s\"}\n",
      subject, metric, value, unit);
}

struct Subject {
  const char* name;
  std::function<absl::Duration()> once;
  std::vector<double> ms = {};

  double Percentile(size_t percent) {
    std::sort(ms.begin(), ms.end());
    return ms[std::min(ms.size() - 1, ms.size() * percent / 100)];
  }
};

void Run(const std::string& work, int rounds) {
  const std::string users = std::getenv("CARME_TEST_USERS");
  const std::vector<std::string> user =
      absl::StrSplit(users.substr(0, users.find(' ')), ':');
  SubmitPeer peer(work, user.at(0), static_cast<uid_t>(std::stoul(user.at(1))));
  for (int job = 0; job < kJobs; ++job) peer.Fill();
  SubmitClient client("127.0.0.1:9443", work + "/pki", user.at(0), user.at(2));
  int minutes = 0;
  Subject subjects[] = {
      {"carme", [&] { return client.Preview(1 + minutes++ % kMostMinutes); }},
      {"sbatch", [&] { return peer.TestOnly(); }},
      {"carme_kept",
       [&] { return client.Preview(1 + (minutes - 1) % kMostMinutes); }}};
  for (int round = -3; round < rounds; ++round) {
    for (Subject& subject : subjects) {
      const double ms = absl::ToDoubleMilliseconds(subject.once());
      if (round >= 0) subject.ms.push_back(ms);
    }
  }
  for (Subject& subject : subjects) {
    Print(subject.name, "p50_ms", subject.Percentile(50), "ms");
    Print(subject.name, "p99_ms", subject.Percentile(99), "ms");
  }
  Print("carme", "ratio:carme/sbatch",
        subjects[0].Percentile(50) / subjects[1].Percentile(50), "");
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  if (argc != 2 || std::getenv("CARME_TEST_USERS") == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run preview\n");
    return 2;
  }
  const char* rounds = std::getenv("ROUNDS");
  carme::Run(argv[1], rounds != nullptr ? std::atoi(rounds) : 300);
  return 0;
}
