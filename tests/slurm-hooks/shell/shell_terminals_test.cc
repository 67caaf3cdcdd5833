#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/slurm-hooks/shell/shell_app.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme::shell {
namespace {

using testing::WaitFor;

pid_t PidIn(const std::string& path) {
  std::ifstream file(path);
  pid_t pid = 0;
  file >> pid;
  return pid;
}

bool Lives(pid_t pid) { return testing::Signal(pid, 0); }

std::string From(const std::string& name, uint64_t next) {
  return absl::StrCat("/terminals/", name, "?from=", next);
}

TEST_CASE("shell: runs commands in a login shell in the home directory",
          "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Type("echo $0-$TERM-$((40+2))\n");
  CHECK(window.Shows("-sh-xterm-256color-42"));
  window.Type("pwd\n");
  CHECK(window.Shows(app.home() + "\r\n"));
  window.Type("echo $$ > shell.pid\n");
  CHECK(WaitFor([&] { return PidIn(app.home() + "/shell.pid") > 0; }));
}

TEST_CASE("shell: bash has a prompt with user, host and directory", "[shell]") {
  const ShellApp app("/bin/bash");
  // The user's profile, which would set another, is not read.
  REQUIRE(std::ofstream(app.home() + "/.bash_profile").good());
  TerminalWindow window(app, "/terminals/1");
  window.Type("printenv PS1\n");
  CHECK(window.Shows("\\u@\\h:\\w\\$ \r\n"));
}

TEST_CASE("shell: applies the size of the window", "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Tell("{\"rows\":33,\"cols\":101}");
  window.Type("stty size\n");
  CHECK(window.Shows("33 101\r\n"));
}

TEST_CASE("shell: sends missed output after a reconnect", "[shell]") {
  const ShellApp app;
  TerminalWindow whole(app, "/terminals/1");
  TerminalWindow cut(app, "/terminals/1");
  cut.Type("echo be''fore\n");
  REQUIRE(cut.Shows("before"));
  cut.CutLine();
  whole.Type("echo mean''while; printf 'x%.0s' $(seq 5000); echo la''st\n");
  REQUIRE(whole.Shows("last\r\n"));

  TerminalWindow back(app, From("1", cut.next()));
  CHECK(back.at() == cut.next());
  REQUIRE(back.Shows("last\r\n"));
  whole.ReadBytes(cut.bytes().size() + back.bytes().size());
  const std::string joined = cut.bytes() + back.bytes();
  CHECK(whole.bytes().substr(0, joined.size()) == joined);
}

TEST_CASE("shell: starts from the ring's start after too much", "[shell]") {
  const ShellApp app;
  TerminalWindow gone(app, "/terminals/1");
  gone.Type("stty -opost; head -c 4000000 /dev/zero; touch done\n");
  REQUIRE(gone.Shows("touch done"));  // it has arrived
  gone.CutLine();
  REQUIRE(WaitFor([&] { return std::ifstream(app.home() + "/done").good(); }));
  TerminalWindow back(app, From("1", gone.next()));
  CHECK(back.at() > gone.next() + 2'900'000);
  back.ReadBytes(400'000);
  CHECK(back.bytes().substr(0, 400'000) == std::string(400'000, '\0'));
}

TEST_CASE("shell: does not mix the bytes of two terminals", "[shell]") {
  const ShellApp app;
  TerminalWindow first(app, "/terminals/1");
  REQUIRE(first.Shows("$ "));
  first.Type("exit\n");
  CHECK(first.AwaitExit() == "{\"exit\":0}");
  TerminalWindow second(app, "/terminals/1");
  REQUIRE(second.Shows("$ "));
  CHECK(second.at() > first.next());
  TerminalWindow late(app, From("1", first.next()));
  CHECK(late.at() == second.at());
}

TEST_CASE("shell: two windows see the same terminal", "[shell]") {
  const ShellApp app;
  TerminalWindow first(app, "/terminals/shared");
  REQUIRE(first.Shows("$ "));
  TerminalWindow second(app, "/terminals/shared");
  first.Type("echo fr''om first\n");
  CHECK(second.Shows("from first"));
  second.Type("echo fr''om second\n");
  CHECK(first.Shows("from second"));
}

TEST_CASE("shell: terminals are apart and listed", "[shell]") {
  const ShellApp app;
  TerminalWindow first(app, "/terminals/1");
  TerminalWindow second(app, "/terminals/two");
  first.Type("mine=1; printf '\\033]2;the %s\\007' title; echo s''et\n");
  REQUIRE(first.Shows("set"));
  second.Type("echo [${mine:-nothing}]\n");
  CHECK(second.Shows("[nothing]"));
  CHECK(
      app.Get("/api/terminals")
          .ends_with("[{\"name\":\"1\",\"title\":\"the title\",\"alive\":true},"
                     "{\"name\":\"two\",\"title\":\"\",\"alive\":true}]"));
}

TEST_CASE("shell: reports the exit code, also after a reconnect", "[shell]") {
  const ShellApp app;
  TerminalWindow stays(app, "/terminals/1");
  TerminalWindow away(app, "/terminals/1");
  REQUIRE(away.Shows("$ "));
  away.CutLine();
  stays.Type("echo by''e; exit 7\n");
  CHECK(stays.AwaitExit() == "{\"exit\":7}");
  CHECK(stays.bytes().find("bye") != std::string::npos);

  TerminalWindow back(app, From("1", away.next()));
  CHECK(back.AwaitExit() == "{\"exit\":7}");
  CHECK(back.bytes().find("bye") != std::string::npos);
}

TEST_CASE("shell: close hangs the shell up", "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Type("sleep 600 & echo $! > sleep.pid; cat\n");
  REQUIRE(WaitFor([&] { return PidIn(app.home() + "/sleep.pid") > 0; }));
  window.Tell("{\"close\":true}");
  CHECK(window.AwaitExit() == "{\"exit\":129}");
}

TEST_CASE("shell: a watcher that does not read is dropped", "[shell]") {
  const ShellApp app;
  TerminalWindow deaf(app, "/terminals/1");
  const uint64_t before = app.ResidentBytes();
  deaf.Type("head -c 100000000 /dev/zero; touch done\n");
  CHECK(WaitFor([&] { return std::ifstream(app.home() + "/done").good(); }));
  CHECK(app.ResidentBytes() < before + 8'000'000);
  // It was dropped, and may come back.
  CHECK(deaf.AwaitExit().find("exit") == std::string::npos);
  TerminalWindow back(app, From("1", deaf.next()));
  CHECK(back.at() > deaf.next());
}

TEST_CASE("shell: a slow watcher does not slow others", "[shell]") {
  const ShellApp app;
  TerminalWindow deaf(app, "/terminals/1");
  TerminalWindow reads(app, "/terminals/1");
  REQUIRE(reads.Shows("$ "));
  reads.Type("stty -opost; head -c 10000000 /dev/zero; echo al''l\n");
  for (size_t target = 100'000; target < 10'000'000; target += 100'000) {
    reads.ReadBytes(target);
    reads.Tell(absl::StrCat("{\"seen\":", reads.next(), "}"));
  }
  CHECK(reads.Shows("all"));
  CHECK(reads.bytes().size() >= 10'000'000);
}

TEST_CASE("shell: a program that does not read blocks only its own input",
          "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Type("stty raw -echo; touch raw; sleep 600\n");
  REQUIRE(WaitFor([&] { return std::ifstream(app.home() + "/raw").good(); }));
  const uint64_t before = app.ResidentBytes();
  int taken = 0;
  while (taken < 50 && window.TypeSoon(std::string(60'000, 'x'))) ++taken;
  CHECK(taken > 1);
  CHECK(taken < 50);
  CHECK(app.Get("/ready").starts_with("HTTP/1.1 200"));
  CHECK(app.ResidentBytes() < before + 2'000'000);
}

TEST_CASE("shell: SIGTERM closes connections without an exit message",
          "[shell]") {
  ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  REQUIRE(window.Shows("$ "));
  app.Terminate();
  CHECK(window.AwaitExit().find("exit") == std::string::npos);
  CHECK(app.AwaitEnd().has_value());
}

TEST_CASE("shell: SIGTERM leaves no process", "[shell]") {
  ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Type(
      "(trap '' HUP; setsid sleep 600 & echo $! > stray.pid); "
      "nohup sleep 600 > /dev/null & echo $! > kept.pid; "
      "echo $$ > shell.pid\n");
  REQUIRE(WaitFor([&] { return PidIn(app.home() + "/shell.pid") > 0; }));
  const pid_t shell = PidIn(app.home() + "/shell.pid");
  const pid_t stray = PidIn(app.home() + "/stray.pid");
  const pid_t kept = PidIn(app.home() + "/kept.pid");
  CHECK(Lives(stray));
  CHECK(Lives(kept));
  app.Terminate();
  const auto end = app.AwaitEnd();
  REQUIRE(end.has_value());
  CHECK(end->exit_code == 0);
  CHECK_FALSE(Lives(shell));
  CHECK_FALSE(Lives(stray));
  CHECK_FALSE(Lives(kept));
}

}  // namespace
}  // namespace carme::shell
