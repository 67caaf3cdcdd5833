// HTTP/2 between the proxy and an agent (Http2Link), after the handshake: a
// user may have taken an agent over. The first byte selects the receiver:
// `o` the side that opens streams, which is the proxy's, all else the agent's.
// Whatever comes, the link ends with its connection, and so does all that runs
// on it.
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/net/event_loop.h"
#include "common/net/http2/http2_link.h"
#include "common/net/socket.h"

namespace carme::net {
namespace {

constexpr int kStreams = 3;

void Require(bool good) {
  if (!good) std::abort();
}

// Says something, and reads until the stream's end.
Task<void> Use(std::unique_ptr<Stream> stream) {
  const IoResult put = co_await stream->Write("a grant and a request");
  if (put.error != 0) co_return;
  char buffer[1024];
  size_t read = 0;
  for (;;) {
    const IoResult got = co_await stream->Read(buffer, sizeof buffer);
    if (got.error != 0 || got.bytes == 0) co_return;
    // No more can have come.
    Require((read += got.bytes) < size_t{1} << 20);
  }
}

// What the other side does: where it is the agent, streams are there already.
Task<void> Say(EventLoop& loop, std::shared_ptr<Http2Link> link, UniqueFd fd,
               std::string_view bytes, bool opens) {
  co_await loop.Yield();
  for (int i = 0; opens && i < kStreams; ++i) {
    auto stream = link->Open();
    Require(stream.ok());
    loop.Spawn(Use(*std::move(stream)));
  }
  co_await loop.Yield();
  // More than a socket takes at once is no other case.
  const ssize_t sent = send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  Require(sent > 0 || bytes.empty());
  Require(shutdown(fd.get(), SHUT_WR) == 0);
  // Hears until it is hung up on.
  auto stream = NewSocketStream(loop, std::move(fd));
  Require(stream.ok());
  char buffer[1024];
  for (;;) {
    const IoResult got = co_await (*stream)->Read(buffer, sizeof buffer);
    if (got.error != 0 || got.bytes == 0) break;
  }
}

Task<void> Hear(EventLoop& loop, UniqueFd near, UniqueFd far,
                std::string_view bytes, bool opens) {
  auto transport = NewSocketStream(loop, std::move(near));
  Require(transport.ok());
  Http2LinkOptions options;
  if (!opens) {
    options.on_stream = [&loop](std::unique_ptr<Stream> stream) {
      loop.Spawn(Use(std::move(stream)));
    };
  }
  const auto link = Http2Link::Create(loop, **transport, std::move(options));
  loop.Spawn(Say(loop, link, std::move(far), bytes, opens));
  const absl::Status ended = co_await link->Serve();
  ended.IgnoreError();
  Require(!link->Open().ok());
  loop.Stop();
}

}  // namespace
}  // namespace carme::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using carme::net::Require;
  if (size == 0) return 0;
  int fds[2];
  Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                     fds) == 0);
  carme::UniqueFd near(fds[0]), far(fds[1]);
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  auto loop = carme::net::EventLoop::Create();
  Require(loop.ok());
  (*loop)->Spawn(carme::net::Hear(**loop, std::move(near), std::move(far),
                                  bytes, data[0] == 'o'));
  (*loop)->Run();
  Require((*loop)->tasks() == 0);
  return 0;
}
