// login_bench WORK PID EMPTY PEOPLE < PASSWORD: log-ins a second beside the
// directory alone, the processor time of a call with a session beside that of
// one that does nothing, and what is left of ten thousand guesses at one
// account. PID is the backend's, EMPTY that of empty_server.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/process_use.h"

namespace carme::backend {
namespace {

constexpr Figures kFigures("login");
constexpr int kThreads = 8;
constexpr int kCalls = 20000;  // a round
constexpr int kRounds = 3;
constexpr int kGuesses = 10000;
constexpr int kAddresses = 100;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Runs act(0) … act(count - 1) on all threads; how long that took.
absl::Duration Spread(int threads, int count,
                      const std::function<void(int)>& act) {
  std::atomic<int> next = 0;
  const absl::Time start = absl::Now();
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (int at = next++; at < count; at = next++) act(at);
    });
  }
  for (std::thread& worker : workers) worker.join();
  return absl::Now() - start;
}

std::unique_ptr<LdapDirectory> DirectoryAlone(const std::string& work) {
  LdapConfig config;
  config.url = Environment("CARME_LDAP_URL");
  config.ca_file = Environment("CARME_LDAP_CA");
  config.bind_dn = Environment("CARME_LDAP_BIND_DN");
  config.bind_password_file = work + "/state/bind-password";
  const std::string base = Environment("CARME_LDAP_BASE");
  config.user_base = "ou=people," + base;
  config.group_base = "ou=groups," + base;
  config.group_filter = "(&(objectClass=posixGroup)(memberUid=%s))";
  config.allowed_group = "carme-users";
  return LdapDirectory::Create(config).value();
}

struct Bench {
  std::string work;
  std::string pid;
  std::string empty_pid;
  int people;
  std::string password;
  LoginClient client;
  LoginClient empty;
  std::vector<std::string> secrets = {};

  static std::string Name(int i) { return absl::StrCat("person", i + 1); }
  static std::string Address(int i) { return absl::StrCat("10.9.0.", i + 1); }

  void LogIns() {
    secrets.resize(people);
    const auto log_in = [&](int i) {
      client.LogIn(Name(i), password, Address(i), &secrets[i]);
    };
    const absl::Duration first = Spread(kThreads, people, log_in);
    kFigures.Print("first log-in", "log_ins_per_s",
                   people / absl::ToDoubleSeconds(first), "1/s");
    // A code works once: the next step.
    const int64_t now = absl::ToUnixSeconds(absl::Now());
    absl::SleepFor(absl::Seconds(31 - now % 30));
    const absl::Duration used = ProcessorTimeOf(pid).all();
    const absl::Duration carme = Spread(kThreads, people, log_in);
    kFigures.Print("carme", "log_ins_per_s",
                   people / absl::ToDoubleSeconds(carme), "1/s");
    kFigures.Print(
        "carme", "backend_ms_per_log_in",
        absl::ToDoubleMilliseconds(ProcessorTimeOf(pid).all() - used) / people,
        "ms");
    const auto directory = DirectoryAlone(work);
    const absl::Duration bare = Spread(kThreads, people, [&](int i) {
      if (directory->CheckPassword(Name(i), password).ok()) return;
      std::fprintf(stderr, "login_bench: the directory refused\n");
      std::exit(1);
    });
    kFigures.Print("directory", "checks_per_s",
                   people / absl::ToDoubleSeconds(bare), "1/s");
    kFigures.Print("carme", "ratio:carme/directory",
                   absl::FDivDuration(bare, carme), "");
  }

  void Calls() {
    const std::string token =
        client.LogIn("person1", password, "10.9.0.1", NextSecret());
    double carme = 0, bare = 0;
    // In turns, so that what else the machine does hits both alike.
    for (int round = 0; round < kRounds; ++round) {
      carme += CostOf("carme", pid, [&] { client.CallForNothing(token); });
      bare += CostOf("empty", empty_pid, [&] { empty.CallForNothing(token); });
    }
    CostOf("carme, GetSession", pid, [&] { client.Call(token); });
    kFigures.Print("carme", "ratio:carme/empty", carme / bare, "");
  }

  // Microseconds of the server's processor time a call; prints the round.
  static double CostOf(const char* subject, const std::string& server,
                       const std::function<void()>& call) {
    Spread(kThreads, kCalls / 20, [&](int) { call(); });
    const ProcessorTime before = ProcessorTimeOf(server);
    const absl::Duration taken = Spread(kThreads, kCalls, [&](int) { call(); });
    const ProcessorTime after = ProcessorTimeOf(server);
    const double user =
        absl::ToDoubleMicroseconds(after.user - before.user) / kCalls;
    const double kernel =
        absl::ToDoubleMicroseconds(after.kernel - before.kernel) / kCalls;
    kFigures.Print(subject, "server_us_per_call", user + kernel, "us");
    kFigures.Print(subject, "server_kernel_us_per_call", kernel, "us");
    kFigures.Print(subject, "calls_per_s",
                   kCalls / absl::ToDoubleSeconds(taken), "1/s");
    return user + kernel;
  }

  std::string* NextSecret() {
    const int64_t now = absl::ToUnixSeconds(absl::Now());
    absl::SleepFor(absl::Seconds(31 - now % 30));
    return secrets.data();
  }

  void Guesses() {
    std::atomic<int> evaluated = 0;
    const absl::Duration taken = Spread(4 * kThreads, kGuesses, [&](int i) {
      const std::string address = absl::StrCat("10.8.0.", i % kAddresses + 1);
      if (client.Guess("person2", absl::StrCat("guess", i), address)) {
        ++evaluated;
      }
    });
    kFigures.Print("guesses", "evaluated", evaluated, "");
    kFigures.Print("guesses", "ratio:evaluated/made",
                   static_cast<double>(evaluated) / kGuesses, "");
    kFigures.Print("guesses", "seconds", absl::ToDoubleSeconds(taken), "s");
    // Its owner, from where they always come: not kept out. Or it exits.
    client.LogIn("person2", password, Address(1), &secrets[1]);
    kFigures.Print("owner", "log_ins_meanwhile", 1, "");
    // And from elsewhere, with the second factor first.
    NextSecret();
    client.LogIn("person2", password, "10.7.0.1", &secrets[1]);
    kFigures.Print("owner", "log_ins_elsewhere", 1, "");
  }
};

}  // namespace
}  // namespace carme::backend

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: tests/bench/run login\n");
    return 2;
  }
  std::string password;
  std::getline(std::cin, password);
  const std::string work = argv[1];
  const std::string pki = work + "/pki";
  carme::backend::Bench bench{
      .work = work,
      .pid = argv[2],
      .empty_pid = argv[3],
      .people = std::atoi(argv[4]),
      .password = password,
      .client = carme::LoginClient("127.0.0.1:9443", pki),
      .empty = carme::LoginClient("127.0.0.1:9445", pki)};
  bench.LogIns();
  bench.Calls();
  bench.Guesses();
  return 0;
}
