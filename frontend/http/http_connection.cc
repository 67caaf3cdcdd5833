#include "frontend/http/http_connection.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "frontend/http/response_writer.h"
#include "frontend/http/socket_wait.h"

namespace carme::frontend {
namespace {

// The literal address of the peer; "" if unknown.
std::string PeerOf(int socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  std::array<char, NI_MAXHOST> text{};
  if (getpeername(socket, address, &length) != 0 ||
      getnameinfo(address, length, text.data(), text.size(), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "";
  }
  return text.data();
}

// Closing a socket with unread bytes resets the connection, and the client may
// lose the response: read some of them first.
void Linger(int socket) {
  shutdown(socket, SHUT_WR);
  const absl::Time end = absl::Now() + absl::Milliseconds(500);
  std::array<char, 4096> bytes;
  for (int rounds = 0; rounds < 64 && absl::Now() < end; ++rounds) {
    if (!WaitForEvents(socket, POLLIN, absl::Milliseconds(100))) continue;
    if (recv(socket, bytes.data(), bytes.size(), 0) <= 0) return;
  }
}

}  // namespace

void ServeHttpConnection(UniqueFd socket, int stop,
                         const ConnectionOptions& options,
                         const HttpHandlers& handlers) {
  const std::string peer = PeerOf(socket.get());
  RequestReader reader(socket.get(), stop, options.read);
  ResponseWriter writer(socket.get(), stop, options.write_timeout);
  for (int left = options.max_requests; left > 0; --left) {
    const ReadResult result = reader.Next();
    if (result == ReadResult::kClosed) break;
    if (result == ReadResult::kRefused) {
      writer.Write(handlers.refuse(reader.error()), true, true);
      break;
    }
    HttpRequestHead& head = reader.head();
    head.request.peer = peer;
    const HttpResponse response = handlers.answer(head.request);
    const bool close = head.close || left == 1 ||
                       WaitForEvents(stop, POLLIN, absl::ZeroDuration());
    if (!writer.Write(response, head.request.method != "HEAD", close) ||
        close) {
      break;
    }
  }
  Linger(socket.get());
}

}  // namespace carme::frontend
