// slurm_load_bench WORK PEOPLE: how many requests a minute reach slurmctld from
// the backend while 1, 100 and 1,000 sessions watch their jobs, beside one
// `squeue` every two seconds, and beside a page that runs `squeue` every two
// seconds for each of 20 users. Slurm counts them itself, by uid (sdiag). A job
// is submitted every second all the while, so that there is something new.
#include <pwd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/submit_peer.h"
#include "tests/bench/support/watchers.h"

namespace carme {
namespace {

constexpr Figures kFigures("slurm_load");
constexpr char kBackend[] = "127.0.0.1:9443";
constexpr int kSessions[] = {1, 100, 1000};
constexpr int kUsersOfPage = 20;
constexpr absl::Duration kEvery = absl::Seconds(2);

struct Load {
  double requests = 0;
  double us = 0;  // of slurmctld's time
};

// What this uid has asked since slurmctld began.
Load LoadOf(uid_t uid) {
  stats_info_request_msg_t request{};
  request.command_id = STAT_COMMAND_GET;
  stats_info_response_msg_t* answer = nullptr;
  if (slurm_get_statistics(&answer, &request) != SLURM_SUCCESS) {
    std::fprintf(stderr, "slurm_load: no statistics\n");
    std::exit(1);
  }
  Load load;
  for (uint32_t i = 0; i < answer->rpc_user_size; ++i) {
    if (answer->rpc_user_id[i] != uid) continue;
    load.requests = answer->rpc_user_cnt[i];
    load.us = static_cast<double>(answer->rpc_user_time[i]);
  }
  // libslurm offers nothing that frees it.
  return load;
}

// A minute's worth, as seen over `window` in which `act` runs every two
// seconds.
double Measure(const std::string& subject, uid_t uid, absl::Duration window,
               const std::function<void()>& act) {
  const Load before = LoadOf(uid);
  const absl::Time start = absl::Now();
  for (absl::Time next = start; next < start + window; next += kEvery) {
    absl::SleepFor(next - absl::Now());
    act();
  }
  absl::SleepFor(start + window - absl::Now());
  const Load after = LoadOf(uid);
  const double minutes = absl::ToDoubleMinutes(absl::Now() - start);
  const double requests = (after.requests - before.requests) / minutes;
  kFigures.Print(subject, "requests_per_minute", requests, "1/min");
  kFigures.Print(subject, "slurmctld_ms_per_minute",
                 (after.us - before.us) / 1000 / minutes, "ms");
  return requests;
}

void Run(const std::string& work, int people, const std::string& password,
         absl::Duration window) {
  const std::vector<ClusterUser> users = ClusterUsers();
  SubmitPeer submits(work, users.at(0).name, users.at(0).uid);
  SubmitPeer looks(work, users.at(1).name, users.at(1).uid);
  const uid_t carme = getpwnam("carme")->pw_uid;
  slurm_init(nullptr);
  std::atomic<bool> over = false;
  std::thread submitting([&] {
    for (; !over; absl::SleepFor(absl::Seconds(1))) submits.Fill();
  });
  LoginClient client(kBackend, work + "/pki");
  const std::vector<std::string> tokens = LogInPeople(client, people, password);
  std::vector<double> requests;
  Watchers watchers(kBackend, work + "/pki", [](size_t, const auto&, auto) {});
  int streams = 0;
  for (const int sessions : kSessions) {
    for (; streams < sessions; ++streams) {
      watchers.Add(tokens[static_cast<size_t>(streams) % tokens.size()]);
    }
    watchers.AwaitSnapshots();
    requests.push_back(
        Measure(absl::StrCat(sessions, "_sessions"), carme, window, [] {}));
  }
  const double squeue =
      Measure("squeue", users.at(1).uid, window, [&] { looks.Squeue(); });
  const std::string page = absl::StrCat("squeue_of_", kUsersOfPage, "_users");
  const double squeues = Measure(page, users.at(1).uid, window, [&] {
    for (int i = 0; i < kUsersOfPage; ++i) looks.SqueueOfUser();
  });
  over = true;
  submitting.join();
  kFigures.Print("carme", "ratio:1000_sessions/1_session",
                 requests[2] / requests[0], "");
  kFigures.Print("carme", "ratio:carme/squeue", requests[2] / squeue, "");
  kFigures.Print("carme", "ratio:carme/" + page, requests[2] / squeues, "");
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  const char* password = std::getenv("BENCH_PASSWORD");
  if (argc != 3 || password == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run slurm_load\n");
    return 2;
  }
  const char* window = std::getenv("WINDOW_S");
  carme::Run(argv[1], std::atoi(argv[2]), password,
             absl::Seconds(window != nullptr ? std::atoi(window) : 60));
  return 0;
}
