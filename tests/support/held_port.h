// A TCP port of 127.0.0.1 for a program that cannot choose one itself.
#ifndef CARME_TESTS_SUPPORT_HELD_PORT_H_
#define CARME_TESTS_SUPPORT_HELD_PORT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>

#include "common/unique_fd.h"

namespace carme::testing {

// Bound and never listening, so that the kernel gives the port to no other as
// long as this lives, while a program that asks for this very port, with
// SO_REUSEADDR as servers do, gets it, and gets it again (ip(7), socket(7)).
class HeldPort {
 public:
  HeldPort() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd_.get(), any, sizeof address) != 0 ||
        getsockname(fd_.get(), any, &size) != 0) {
      throw std::runtime_error("no port can be had");
    }
    number_ = ntohs(address.sin_port);
  }
  int number() const { return number_; }

 private:
  UniqueFd fd_;
  int number_ = 0;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_SUPPORT_HELD_PORT_H_
