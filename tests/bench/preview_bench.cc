// preview_bench WORK: what the answer before submission costs, beside `sbatch
// --test-only`, while 10,000 jobs wait in the queue. Each question is a new
// one, so that none is answered from what was kept; the last subject is the
// same question again.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/submit_client.h"
#include "tests/bench/support/submit_peer.h"

namespace carme {
namespace {

constexpr Figures kFigures("preview");
constexpr char kBackend[] = "127.0.0.1:9443";
constexpr int kJobs = 10000;
constexpr int kMaxMinutes = 1200;  // of the partition's day

struct Subject {
  const char* name;
  std::function<absl::Duration()> once;
  std::vector<double> ms = {};
};

void Run(const std::string& work, int rounds) {
  const ClusterUser user = ClusterUsers().at(0);
  SubmitPeer peer(work, user.name, user.uid);
  for (int job = 0; job < kJobs; ++job) peer.Fill();
  LoginClient logins(kBackend, work + "/pki");
  std::string secret;
  SubmitClient client(
      kBackend, work + "/pki",
      {logins.LogIn(user.name, user.password, "127.0.0.1", &secret)});
  int minutes = 0;
  Subject subjects[] = {
      {"carme", [&] { return client.Preview(1 + minutes++ % kMaxMinutes); }},
      {"sbatch", [&] { return peer.TestOnly(); }},
      {"carme_kept",
       [&] { return client.Preview(1 + (minutes - 1) % kMaxMinutes); }}};
  for (int round = -3; round < rounds; ++round) {
    for (Subject& subject : subjects) {
      const double ms = absl::ToDoubleMilliseconds(subject.once());
      if (round >= 0) subject.ms.push_back(ms);
    }
  }
  for (Subject& subject : subjects) {
    kFigures.Print(subject.name, "p50_ms", Percentile(subject.ms, 50), "ms");
    kFigures.Print(subject.name, "p99_ms", Percentile(subject.ms, 99), "ms");
  }
  kFigures.Print(
      "carme", "ratio:carme/sbatch",
      Percentile(subjects[0].ms, 50) / Percentile(subjects[1].ms, 50), "");
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
