#include "backend/privileged/privsep/landlock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/child.h"
#include "common/unique_fd.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

// On loopback, at a port of the kernel's choice.
struct Listener {
  Listener() : fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    socklen_t length = sizeof address;
    REQUIRE(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(listen(fd.get(), 8) == 0);
    getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
  }
  uint16_t port() const { return ntohs(address.sin_port); }
  sockaddr_in address{.sin_family = AF_INET,
                      .sin_port = 0,
                      .sin_addr = {htonl(INADDR_LOOPBACK)},
                      .sin_zero = {}};
  const UniqueFd fd;
};

// How connecting to `target` ends where only `ports` may be connected to.
std::string ConnectUnder(const std::vector<uint16_t>& ports,
                         const Listener& target) {
  auto child = Child::Start([&](ChildPipe* pipe) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!LimitConnectPorts(ports).ok()) return;
    const UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
    const int result =
        connect(fd.get(), reinterpret_cast<const sockaddr*>(&target.address),
                sizeof target.address);
    pipe->Respond(result == 0 ? "connected" : absl::StrCat("errno ", errno));
  });
  REQUIRE_THAT(child, IsOk());
  return child->Await(absl::Now() + testing::kWaitTimeout).response;
}

TEST_CASE("port limit: other ports cannot be reached", "[backend]") {
  if (!SupportsPortLimits()) {
    WARN("not tested: this kernel limits no ports");
    return;
  }
  const Listener controller, other;
  const std::string denied = absl::StrCat("errno ", EACCES);
  CHECK(ConnectUnder({controller.port()}, other) == denied);
  CHECK(ConnectUnder({}, other) == denied);
  CHECK(ConnectUnder({controller.port()}, controller) == "connected");
  CHECK(ConnectUnder({controller.port(), other.port()}, other) == "connected");
}

}  // namespace
}  // namespace carme::impersonator
