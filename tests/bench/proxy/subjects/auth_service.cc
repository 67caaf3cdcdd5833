#include "tests/bench/proxy/subjects/auth_service.h"

#include <sys/socket.h>

#include <utility>

#include "common/net/address.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {

AuthService::AuthService(net::EventLoop& loop, const std::string& path)
    : loop_(loop) {
  const auto address = net::Address::FromPath(path);
  listening_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!address.ok() ||
      bind(listening_.get(), address->get(), address->size()) != 0 ||
      listen(listening_.get(), 4096) != 0) {
    GiveUp("no unix socket at " + path);
  }
  listener_ = *net::Listener::Create(loop_, listening_.get(),
                                     [this](UniqueFd fd, const net::Address&) {
                                       loop_.Spawn(Serve(std::move(fd)));
                                     });
}

void AuthService::ServeForever(const std::string& path) {
  const std::unique_ptr<net::EventLoop> loop = *net::EventLoop::Create();
  const AuthService service(*loop, path);
  loop->Run();
  GiveUp("the service of auth_request has stopped");
}

net::Task<void> AuthService::Serve(UniqueFd fd) {
  auto stream = net::NewSocketStream(loop_, std::move(fd));
  if (!stream.ok()) GiveUp(stream.status().ToString());
  std::string held;
  for (;;) {
    net::IoResult got = co_await (*stream)->Read(loop_.scratch(),
                                                 net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    held.append(loop_.scratch(), got.bytes);
    size_t end;
    while ((end = held.find("\r\n\r\n")) != std::string::npos) {
      const bool known = held.find("__Host-carme-job=") < end;
      held.erase(0, end + 4);
      net::IoResult put = co_await (*stream)->Write(
          known ? "HTTP/1.1 204 No Content\r\n\r\n"
                : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
      if (put.error != 0) co_return;
    }
  }
}

}  // namespace carme::bench
