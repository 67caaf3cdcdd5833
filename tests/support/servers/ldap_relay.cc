#include "tests/support/servers/ldap_relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace carme {
namespace {

constexpr int kTick_ms = 20;
constexpr size_t kMessageBytes = 1 << 16;

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

UniqueFd NewSocket() {
  return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

bool Readable(int fd, int wait_ms) {
  pollfd ready = {fd, POLLIN, 0};
  return poll(&ready, 1, wait_ms) > 0;
}

// Whether the other side is still there after a moment.
bool StillThere(int fd) {
  pollfd hung = {fd, POLLRDHUP, 0};
  return poll(&hung, 1, kTick_ms) == 0;
}

// One message from one to the other. False: the connection has ended.
bool Pass(int from, int to) {
  std::vector<char> message(kMessageBytes);
  const ssize_t got = read(from, message.data(), message.size());
  return got > 0 && send(to, message.data(), static_cast<size_t>(got),
                         MSG_NOSIGNAL) == got;
}

}  // namespace

LdapRelay::LdapRelay(std::string server, int message, Fault fault)
    : server_(std::move(server)),
      message_(message),
      fault_(fault),
      listener_(NewSocket()) {
  const sockaddr_un address = AddressOf(dir_.File("ldapi"));
  if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof address) != 0 ||
      listen(listener_.get(), 16) != 0) {
    throw std::runtime_error("the relay cannot listen");
  }
  accepting_ = std::thread([this] { Accept(); });
}

LdapRelay::~LdapRelay() {
  over_ = true;
  accepting_.join();
}

std::string LdapRelay::Url() const {
  return absl::StrCat("ldapi://",
                      absl::StrReplaceAll(dir_.File("ldapi"), {{"/", "%2F"}}));
}

void LdapRelay::Accept() {
  while (!over_) {
    if (!Readable(listener_.get(), kTick_ms)) continue;
    const int client = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    ++connections_;
    served_.emplace_back([this, client] { Serve(client); });
  }
  for (std::thread& serving : served_) serving.join();
}

void LdapRelay::Serve(int client_fd) {
  const UniqueFd client(client_fd);
  const UniqueFd server = NewSocket();
  const sockaddr_un address = AddressOf(server_);
  if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    return;
  }
  int message = 0;
  while (!over_) {
    pollfd ready[] = {{client.get(), POLLIN, 0}, {server.get(), POLLIN, 0}};
    if (poll(ready, 2, kTick_ms) <= 0) continue;
    if (ready[1].revents != 0 && !Pass(server.get(), client.get())) return;
    if (ready[0].revents == 0) continue;
    const bool now = ++message == message_;
    if (now && fault_ == Fault::kCut) return;
    if (now && fault_ == Fault::kSilence) {
      while (!over_ && StillThere(client.get())) {
      }
      return;
    }
    if (!Pass(client.get(), server.get())) return;
    if (now) {
      // The answer is on its way when it can be read.
      while (!over_ && !Readable(server.get(), kTick_ms)) {
      }
      return;
    }
  }
}

}  // namespace carme
