// carme-proxy as it is installed: a process of its own.
#ifndef CARME_TESTS_PROXY_PROXY_PROGRAM_H_
#define CARME_TESTS_PROXY_PROXY_PROGRAM_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/proxy/proxy_fixture.h"

namespace carme::testing {

class ProxyProgram {
 public:
  struct Options {
    int listener = -1;  // handed over as descriptor 3
    std::map<std::string, std::string> environment{};
    int descriptors = 0;          // at most; 0: as the test
    std::string control_group{};  // a directory; empty: the test's own
  };
  // What it says goes to the file `log`, at its end.
  ProxyProgram(const std::vector<std::string>& arguments,
               const std::string& log, const Options& options);
  ProxyProgram(const std::vector<std::string>& arguments,
               const std::string& log, int listener = -1)
      : ProxyProgram(arguments, log, Options{.listener = listener}) {}
  // Kills it, and who has taken over from it.
  ~ProxyProgram();
  ProxyProgram(const ProxyProgram&) = delete;
  ProxyProgram& operator=(const ProxyProgram&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int number);
  // -1 when it has not ended in time or died of a signal.
  int ExitCode();
  // kill -9, and waits.
  void Kill();
  // Everything it has said.
  std::string Log() const;
  bool Says(const std::string& text) const;  // waits for it
  // SIGUSR2, and waits: the pid of who has taken over.
  pid_t Upgrade();

 private:
  const std::string log_;
  pid_t pid_ = 0;
  std::vector<pid_t> heirs_;
};

// Its configuration, for the fixture's site and backend. `top` stands before
// the tables, `limits` in the last one.
std::string ProgramConfig(const ProxyFixture& fixture,
                          const std::string& top = "",
                          const std::string& limits = "");

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROXY_PROGRAM_H_
