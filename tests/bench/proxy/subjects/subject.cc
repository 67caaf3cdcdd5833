#include "tests/bench/proxy/subjects/subject.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/listen.h"
#include "tests/bench/proxy/load/report.h"
#include "tests/bench/proxy/subjects/auth_service.h"
#include "tests/support/wait_for.h"

namespace carme::bench {
namespace {

constexpr char kFolder[] = CARME_SOURCE "/tests/bench/proxy";
// As long as a real one of carme-proxy's: all clients send the same.
const std::string& OtherCookie() {
  static const std::string cookie = "__Host-carme-job=" + std::string(380, 'x');
  return cookie;
}

net::Address Loopback(int port) {
  return *net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(port));
}

std::string ThisProgram() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace

std::vector<std::string> SubjectNames(const std::vector<std::string>& usual) {
  const char* chosen = std::getenv("SUBJECTS");
  if (chosen == nullptr || *chosen == '\0') return usual;
  return absl::StrSplit(chosen, ' ', absl::SkipEmpty());
}

int FreePort() {
  auto listener = ListenTcp("127.0.0.1:0");
  if (!listener.ok()) GiveUp(listener.status().ToString());
  return *PortOf(listener->get());
}

Subject::Subject(const std::string& name, Neighbours& neighbours,
                 const SubjectOptions& options)
    : name_(name),
      neighbours_(neighbours),
      options_(options),
      target_{Loopback(neighbours.app_port()), neighbours.host(), OtherCookie(),
              neighbours.proxy()} {
  if (name_ == "none") return;
  port_ = FreePort();
  api_port_ = FreePort();
  target_.address = Loopback(port_);
  target_.tls = neighbours.browser();
  if (name_.substr(0, 5) == "carme") {
    backend_ = neighbours.NewBackend(options.routes);
  }
  const std::string stem = absl::StrCat(neighbours.directory(), "/", name_);
  mkdir(stem.c_str(), 0700);
  if (name_ == "nginx-auth") {
    service_ = std::make_unique<Process>(
        std::vector<std::string>{ThisProgram(), AuthService::kArgument,
                                 neighbours.directory() + "/auth.sock"},
        stem + ".service.log");
  }
  process_ = std::make_unique<Process>(Command(stem + ".conf"), stem + ".log");
  WaitUntilReady();
}

// The backend goes last: carme-proxy would say that it lost it.
Subject::~Subject() { process_.reset(); }

double Subject::CpuSeconds() const {
  return (process_ ? process_->CpuSeconds() : 0) +
         (service_ ? service_->CpuSeconds() : 0);
}

double Subject::MemoryKib() const {
  return (process_ ? process_->MemoryKib() : 0) +
         (service_ ? service_->MemoryKib() : 0);
}

std::string Subject::Filled(const std::string& file) const {
  auto text = ReadFile(absl::StrCat(kFolder, "/peers/", file));
  if (!text.ok()) GiveUp(text.status().ToString());
  return absl::StrReplaceAll(
      *text,
      {{"@DIR@", neighbours_.directory()},
       {"@NAME@", name_},
       {"@PORT@", std::to_string(port_)},
       {"@API@", std::to_string(api_port_)},
       {"@APP@", std::to_string(neighbours_.app_port())},
       {"@LOG_SINK@", std::to_string(neighbours_.log_sink_port())},
       {"@APP_NAME@", neighbours_.job().value() + ".job.carme"},
       {"@HOST@", neighbours_.host()},
       {"@BACKEND@", std::to_string(backend_ ? backend_->port() : 0)},
       {"@THREADS@", std::to_string(options_.threads)},
       {"@AUTH_REQUEST@", name_ == "nginx-auth" ? "auth_request /auth;" : ""},
       {"@MODULES@", "/usr/lib/apache2/modules"}});
}

std::vector<std::string> Subject::Command(const std::string& config) const {
  const auto write = [&](const std::string& text) {
    const absl::Status written = WriteFile(config, text, 0600);
    if (!written.ok()) GiveUp(written.ToString());
  };
  if (name_ == "nginx" || name_ == "nginx-auth") {
    write(Filled("nginx.conf.in"));
    return {"nginx", "-c", config};
  }
  if (name_ == "haproxy") {
    write(Filled("haproxy.cfg.in"));
    return {"haproxy", "-db", "-f", config};
  }
  if (name_ == "apache") {
    write(Filled("apache.conf.in"));
    return {"apache2", "-DFOREGROUND", "-f", config};
  }
  if (name_ == "chp") {
    setenv("CONFIGPROXY_AUTH_TOKEN", "bench", 1);
    setenv("NODE_ENV", "production", 1);
    std::vector<std::string> command = {
        "node", absl::StrCat(kFolder,
                             "/node_modules/configurable-http-proxy/bin/"
                             "configurable-http-proxy")};
    for (absl::string_view word :
         absl::StrSplit(Filled("chp.args.in"), '\n', absl::SkipEmpty())) {
      command.emplace_back(word);
    }
    return command;
  }
  if (name_.substr(0, 5) != "carme") {
    GiveUp("subject \"" + name_ +
           "\": expected carme, nginx, nginx-auth, haproxy, apache, chp");
  }
  write(Filled("carme.toml.in"));
  return {CARME_PROXY, "--config", config};
}

Answer Subject::AskNow(const Target& target, const std::string& request) {
  Answer answer;
  std::atomic<bool> asked = false;
  const auto ask = [&]() -> net::Task<void> {
    answer = co_await AskOnce(neighbours_.loop(), target, request);
    asked = true;
  };
  neighbours_.OnLoop([&] { neighbours_.loop().Spawn(ask()); });
  if (!testing::WaitFor([&] { return asked.load(); })) GiveUp("no answer");
  return answer;
}

std::string Subject::Open(const JobId& job) {
  Target target = target_;
  target.host = Neighbours::HostOf(job);
  Answer answer;
  const bool opened = testing::WaitFor([&] {
    const absl::Time now = absl::Now();
    const auto& grants = neighbours_.grants();
    const std::string ticket =
        grants.Ticket(grants.Grant(job, "session", now + absl::Hours(1)), now,
                      now + absl::Seconds(30));
    answer =
        AskNow(target, RequestFor(target, "/.carme/open?ticket=" + ticket));
    return answer.status == 303;
  });
  const size_t at = answer.head.find("Set-Cookie: ");
  if (!opened || at == std::string::npos) {
    GiveUp(name_ + " does not open a job:\n" + answer.head);
  }
  const std::string set = answer.head.substr(at + 12);
  return set.substr(0, set.find(';'));
}

void Subject::WaitUntilReady() {
  if (backend_) target_.cookie = Open(neighbours_.job());
  Answer answer;
  const bool ready = testing::WaitFor(
      [&] {
        if (!process_->Runs()) {
          GiveUp(name_ + " has ended:\n" +
                 ReadFile(neighbours_.directory() + "/" + name_ + ".log")
                     .value_or(""));
        }
        answer = AskNow(target_, RequestFor(target_, "/1k"));
        return answer.status == 200 && answer.body_bytes == 1024;
      },
      absl::Seconds(60));
  if (!ready) GiveUp(name_ + " does not serve:\n" + answer.head);
}

}  // namespace carme::bench
