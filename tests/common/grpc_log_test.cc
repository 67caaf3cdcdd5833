#include "common/grpc/grpc_log.h"

#include <grpc/support/log.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace carme {
namespace {

TEST_CASE("grpc log: an error is one line of ours", "[common]") {
  gpr_log_verbosity_init();  // as grpc_init() does
  TakeGrpcLog();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int kept = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  gpr_log(GPR_ERROR, "handshake failed\nbadly");
  dup2(kept, STDERR_FILENO);
  close(ends[1]);
  char bytes[256];
  const ssize_t got = read(ends[0], bytes, sizeof bytes);
  for (const int fd : {ends[0], kept}) close(fd);
  REQUIRE(got > 0);
  const std::string line(bytes, static_cast<size_t>(got));
  CHECK(line.substr(line.find(' ')) ==
        " warning grpc error=\"handshake failed?badly\"\n");
}

TEST_CASE("grpc log: a failed handshake goes to its listener only",
          "[common]") {
  gpr_log_verbosity_init();
  std::vector<std::string> heard;
  {
    const FailedHandshakes handshakes(
        [&](std::string_view why) { heard.emplace_back(why); });
    gpr_log(GPR_ERROR,
            "Handshake failed with fatal error SSL_ERROR_SSL: "
            "error:0A0000C7:SSL routines::peer did not return a certificate.");
    gpr_log(GPR_ERROR, "Handshake failed with fatal error SSL_ERROR_SYSCALL");
    gpr_log(GPR_ERROR, "something else");
  }
  gpr_log(GPR_ERROR, "Handshake failed with fatal error: nobody listens");
  CHECK(heard == std::vector<std::string>{"peer did not return a certificate",
                                          "SSL_ERROR_SYSCALL"});
}

}  // namespace
}  // namespace carme
