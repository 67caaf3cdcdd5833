#include "tests/support/servers/tsdb_server.h"

#include <fcntl.h>
#include <httplib.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

extern char** environ;

namespace carme {

TsdbServer::TsdbServer(Kind kind, std::vector<std::string> arguments)
    : kind_(kind), arguments_(std::move(arguments)) {
  if (!WriteFile(dir_.File("prometheus.yml"), "global: {}\n", 0600).ok()) {
    throw std::runtime_error("configuration cannot be written");
  }
  Start();
}

TsdbServer::~TsdbServer() { Stop(); }

std::string TsdbServer::url() const {
  return absl::StrCat("http://127.0.0.1:", port_.number());
}

std::vector<std::string> TsdbServer::CommandLine() const {
  const std::string address = absl::StrCat("127.0.0.1:", port_.number());
  std::vector<std::string> line;
  if (kind_ == Kind::kVictoriaMetrics) {
    line = {"victoria-metrics",
            "-storageDataPath=" + dir_.File("data"),
            "-httpListenAddr=" + address,
            "-retentionPeriod=1",
            "-memory.allowedPercent=5",
            "-search.latencyOffset=0s",
            "-search.maxStepForPointsAdjustment=1ms",
            "-search.disableCache"};
  } else {
    line = {"prometheus",
            "--config.file=" + dir_.File("prometheus.yml"),
            "--storage.tsdb.path=" + dir_.File("data"),
            "--web.listen-address=" + address,
            "--web.enable-remote-write-receiver",
            "--log.level=warn"};
  }
  line.insert(line.end(), arguments_.begin(), arguments_.end());
  return line;
}

void TsdbServer::Start() {
  if (pid_ != 0) return;
  std::vector<std::string> line = CommandLine();
  std::vector<char*> arguments;
  for (std::string& one : line) arguments.push_back(one.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const std::string log = dir_.File("log");
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int error = posix_spawnp(&pid_, arguments[0], &files, nullptr,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    pid_ = 0;
    throw std::runtime_error(line[0] + " cannot be started");
  }
  const char* const ready =
      kind_ == Kind::kVictoriaMetrics ? "/health" : "/-/ready";
  const auto answers = [&] {
    const auto result = httplib::Client(url()).Get(ready);
    return result && result->status == 200;
  };
  if (!testing::WaitFor(answers)) {
    throw std::runtime_error(line[0] +
                             " does not answer: " + ReadFile(log).value_or(""));
  }
}

void TsdbServer::Stop() {
  if (pid_ == 0) return;
  testing::Signal(pid_, SIGTERM);  // it writes what it has in memory
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::string TsdbServer::Get(const std::string& path,
                            const std::string& part) const {
  std::string text;
  testing::WaitFor(
      [&] {
        const auto result = httplib::Client(url()).Get(path.c_str());
        if (!result || result->status != 200) return false;
        text = result->body;
        return text.find(part) != std::string::npos;
      },
      absl::Seconds(20));
  return text;
}

}  // namespace carme
