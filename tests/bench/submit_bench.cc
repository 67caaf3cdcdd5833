// submit_bench WORK: what a submission costs through Carme, by libslurm in
// process, and by sbatch, in turn on an idle cluster; medians. Each time
// includes a durable record of the job.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "tests/bench/submit_client.h"
#include "tests/bench/submit_peer.h"

namespace carme {
namespace {

void Print(const char* subject, const char* metric, double value,
           const char* unit) {
  std::printf(
      "{\"bench\":\"submit\",\"subject\":\"%s\",\"metric\":\"%s\","
      "\"value\":%.3f,\"unit\":\"%s\"}\n",
      subject, metric, value, unit);
}

// The cluster is idle again: the jobs do nothing, so this is soon.
void AwaitIdle() {
  while (std::system("test -z \"$(squeue -h -o %A)\"") != 0) {
    absl::SleepFor(absl::Milliseconds(20));
  }
}

struct Subject {
  const char* name;
  std::function<absl::Duration()> once;
  std::vector<double> ms = {};

  double Median() {
    std::nth_element(ms.begin(), ms.begin() + ms.size() / 2, ms.end());
    return ms[ms.size() / 2];
  }
};

struct User {
  std::string name;
  uid_t uid;
  std::string password;
};

// The first of CARME_TEST_USERS.
User FirstUser() {
  const std::string users = std::getenv("CARME_TEST_USERS");
  const std::vector<std::string> parts =
      absl::StrSplit(users.substr(0, users.find(' ')), ':');
  return {parts.at(0), static_cast<uid_t>(std::stoul(parts.at(1))),
          parts.at(2)};
}

void Run(const std::string& work, int rounds) {
  constexpr int kWarmUp = 3;
  const User user = FirstUser();
  SubmitPeer peer(work, user.name, user.uid);
  SubmitClient client("127.0.0.1:9443", work + "/pki", user.name,
                      user.password);
  Subject subjects[] = {{"carme", [&] { return client.Submit(); }},
                        {"bare", [&] { return peer.Bare(); }},
                        {"sbatch", [&] { return peer.Sbatch(); }},
                        {"record", [&] { return peer.RecordOnly(); }},
                        {"call", [&] { return client.CallOnly(); }}};
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (Subject& subject : subjects) {
      AwaitIdle();
      const double ms = absl::ToDoubleMilliseconds(subject.once());
      if (round >= 0) subject.ms.push_back(ms);
    }
  }
  for (Subject& subject : subjects) {
    Print(subject.name, "median_ms", subject.Median(), "ms");
  }
  Print("carme", "ratio:carme/bare",
        subjects[0].Median() / subjects[1].Median(), "");
  Print("carme", "ratio:carme/sbatch",
        subjects[0].Median() / subjects[2].Median(), "");
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  if (argc != 2 || std::getenv("CARME_TEST_USERS") == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run submit\n");
    return 2;
  }
  const char* rounds = std::getenv("ROUNDS");
  carme::Run(argv[1], rounds != nullptr ? std::atoi(rounds) : 40);
  return 0;
}
