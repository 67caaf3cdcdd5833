#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/slurm-hooks/init/init_process.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme::node {
namespace {

using testing::WaitFor;

// Gone, or only its entry in the table is left.
bool Lives(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string id, name, state;
  return static_cast<bool>(stat >> id >> name >> state) && state != "Z";
}

pid_t PidIn(const std::string& path) {
  std::ifstream file(path);
  pid_t pid = 0;
  file >> pid;
  return pid;
}

TEST_CASE("carme-init: reports why a program does not start", "[init]") {
  InitProcess init;
  const v1::ProgramStarted started = init.Start(1, {"no-such-program"});
  CHECK(started.pid() == 0);
  CHECK(started.error().find("no-such-program") != std::string::npos);
}

TEST_CASE("carme-init: refuses a second program under one id", "[init]") {
  InitProcess init;
  CHECK(init.Start(1, {"sleep", "600"}).pid() > 0);
  CHECK(init.Start(1, {"sleep", "600"}).error() == "program 1 runs already");
}

TEST_CASE("carme-init: ends at an invalid request", "[init]") {
  InitProcess init;
  init.SendBytes("\xff\xff\xff");
  CHECK(init.AwaitEnd().has_value());
}

TEST_CASE("carme-init: a program's variables win over the image's", "[init]") {
  InitProcess init;
  v1::StartProgram request;
  request.set_id(7);
  for (const char* word :
       {"sh", "-c", "echo $FROM_IMAGE $OWN; pwd; umask; exit 3"}) {
    request.add_arguments(word);
  }
  request.add_environment("OWN=mine");
  CHECK(init.Start(request).pid() > 0);
  const auto event = init.Next();
  REQUIRE(event.has_value());
  CHECK(event->ended().id() == 7);
  CHECK(event->ended().exit_code() == 3);
  CHECK(init.Output() ==
        absl::StrCat("yes mine\n", init.directory(), "\n0077\n"));
}

TEST_CASE("carme-init: removes the prompt that Apptainer sets", "[init]") {
  InitProcess init;
  CHECK(
      init.Start(1, {"sh", "-c", "env | grep -c -e ^PS1= -e ^PROMPT_"}).pid() >
      0);
  REQUIRE(init.Next().has_value());
  CHECK(init.Output() == "0\n");
}

TEST_CASE("carme-init: a signal reaches the program's children too", "[init]") {
  InitProcess init;
  CHECK(init.Start(1, {"sh", "-c", "sleep 600 & echo $! > child; wait"}).pid() >
        0);
  const std::string child = init.directory() + "/child";
  REQUIRE(WaitFor([&] { return PidIn(child) > 0; }));
  init.Signal(1, SIGTERM);
  const auto event = init.Next();
  REQUIRE(event.has_value());
  CHECK(event->ended().signal() == SIGTERM);
  CHECK(WaitFor([&] { return !Lives(PidIn(child)); }));
}

TEST_CASE("carme-init: all processes end with the agent's connection",
          "[init]") {
  InitProcess init;
  // Two forks and a session of its own: what daemons do to be left alone.
  CHECK(init.Start(1, {"sh", "-c",
                       "setsid sh -c 'setsid sleep 601 & echo $! > far' & "
                       "sleep 600"})
            .pid() > 0);
  const std::string far = init.directory() + "/far";
  REQUIRE(WaitFor([&] { return PidIn(far) > 0; }));
  const pid_t daemon = PidIn(far);
  REQUIRE(Lives(daemon));
  init.HangUp();
  REQUIRE(init.AwaitEnd().has_value());
  CHECK_FALSE(Lives(daemon));
}

TEST_CASE("carme-init: all processes end with a stopped carme-init", "[init]") {
  InitProcess init;
  const pid_t pid =
      init.Start(1, {"sh", "-c", "trap '' TERM; sleep 600"}).pid();
  REQUIRE(pid > 0);
  testing::Signal(init.pid(), SIGTERM);
  REQUIRE(init.AwaitEnd().has_value());
  CHECK_FALSE(Lives(pid));
}

constexpr char kServer[] =
    "import http.server, sys; "
    "http.server.HTTPServer(('127.0.0.1', 8899), "
    "http.server.SimpleHTTPRequestHandler).serve_forever()";

int Curl(const std::string& arguments) {
  return system(
      absl::StrCat("curl -s -o /dev/null --max-time 5 ", arguments).c_str());
}

TEST_CASE("carme-init: a TCP app is reached by its socket only", "[init]") {
  InitProcess init;
  v1::StartProgram request;
  request.set_id(1);
  for (const char* word : {"python3", "-c", kServer})
    request.add_arguments(word);
  request.set_private_port(8899);
  const std::string socket = init.directory() + "/app.sock";
  request.set_bridge_socket(socket);
  REQUIRE(init.Start(request).pid() > 0);
  const std::string by_socket =
      absl::StrCat("--unix-socket ", socket, " http://app/");
  REQUIRE(WaitFor([&] { return Curl(by_socket) == 0; }));
  CHECK(Curl("http://127.0.0.1:8899/") != 0);
  struct stat info {};
  REQUIRE(stat(socket.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  init.Signal(1, SIGTERM);
  const auto event = init.Next();
  REQUIRE(event.has_value());
  CHECK(event->ended().id() == 1);
  CHECK(Curl(by_socket) != 0);
}

}  // namespace
}  // namespace carme::node
