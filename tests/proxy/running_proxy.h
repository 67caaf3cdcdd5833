// The fixture's neighbours, with a process for the proxy instead of its own.
#ifndef CARME_TESTS_PROXY_RUNNING_PROXY_H_
#define CARME_TESTS_PROXY_RUNNING_PROXY_H_

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "common/file.h"
#include "common/listen.h"
#include "tests/proxy/proxy_program.h"

namespace carme::testing {

struct RunningProxy {
  // `top` and `limits` as ProgramConfig has them.
  explicit RunningProxy(const std::string& top = "",
                        const std::string& limits = "",
                        const ProxyProgram::Options& options = {})
      : limits_(limits) {
    Configure(top);
    fixture.watcher.reset();
    fixture.server.reset();
    fixture.port = *PortOf(listener.get());
    Start(options);
    fixture.WaitForRoutes();
  }
  void Configure(const std::string& top) {
    const std::string text = ProgramConfig(fixture, top, limits_);
    REQUIRE(WriteFile(config, text, 0600).ok());
  }
  // Once there is none; the socket is the same, as a service manager has it.
  void Start(ProxyProgram::Options options = {}) {
    options.listener = listener.get();
    program.emplace(std::vector<std::string>{"--config", config}, log, options);
  }
  static bool Alive(TlsClient& websocket) {
    websocket.Send("ping");
    return websocket.Read(4) == "ping";
  }
  // The answer's status.
  int Redeem(const std::string& ticket) {
    return fixture.Connect()
        ->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost))
        .status;
  }

  ProxyFixture fixture;
  const std::string limits_;
  const std::string log = fixture.directory.path() + "/log";
  const std::string config = fixture.directory.path() + "/proxy.toml";
  UniqueFd listener = *ListenTcp("127.0.0.1:0");
  std::optional<ProxyProgram> program;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_RUNNING_PROXY_H_
