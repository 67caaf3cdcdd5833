#include "common/grpc_log.h"

#include <grpc/support/log.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

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
        " warning grpc cause=\"handshake failed?badly\"\n");
}

}  // namespace
}  // namespace carme
