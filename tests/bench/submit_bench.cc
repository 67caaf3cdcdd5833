// submit_bench WORK: what a submission costs through Carme, by libslurm in
// process, and by sbatch, in turn on an idle cluster; medians. Each time
// includes a durable record of the job.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/submit_client.h"
#include "tests/bench/support/submit_peer.h"

namespace carme {
namespace {

constexpr Figures kFigures("submit");
constexpr char kBackend[] = "127.0.0.1:9443";

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

  double Median() const { return Percentile(ms, 50); }
};

void Run(const std::string& work, int rounds) {
  constexpr int kWarmUp = 3;
  const ClusterUser user = ClusterUsers().at(0);
  SubmitPeer peer(work, user.name, user.uid);
  LoginClient logins(kBackend, work + "/pki");
  std::string secret;
  SubmitClient client(
      kBackend, work + "/pki",
      {logins.LogIn(user.name, user.password, "127.0.0.1", &secret)});
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
    kFigures.Print(subject.name, "median_ms", subject.Median(), "ms");
  }
  kFigures.Print("carme", "ratio:carme/bare",
                 subjects[0].Median() / subjects[1].Median(), "");
  kFigures.Print("carme", "ratio:carme/sbatch",
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
