// The service that nginx's auth_request asks: half of the subject nginx-auth.
//
// nginx cannot authenticate requests by itself, so this is part of that subject
// as the check of the cookie is of carme-proxy: a process of its own on the
// subjects' core, whose processor time counts.
#ifndef CARME_TESTS_BENCH_PROXY_SUBJECTS_AUTH_SERVICE_H_
#define CARME_TESTS_BENCH_PROXY_SUBJECTS_AUTH_SERVICE_H_

#include <memory>
#include <string>

#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/unique_fd.h"

namespace carme::bench {

// On a unix socket, over connections that stay: 204 for a request with a
// cookie, else 401. It opens, looks up and writes nothing, which favours nginx:
// a real one would.
class AuthService {
 public:
  AuthService(net::EventLoop& loop, const std::string& path);

  // The program's argument before the path of the socket.
  static constexpr char kArgument[] = "auth-service";
  // Serves until it is killed.
  [[noreturn]] static void ServeForever(const std::string& path);

 private:
  net::Task<void> Serve(UniqueFd fd);
  net::EventLoop& loop_;
  UniqueFd listening_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_SUBJECTS_AUTH_SERVICE_H_
