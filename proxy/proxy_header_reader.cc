#include "proxy/proxy_header_reader.h"

#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "common/net/stream.h"
#include "common/status.h"
#include "proxy/proxy_header.h"

namespace carme::proxy {
namespace {

// A stream of one read, which looks at what has come and takes it only when it
// is whole.
class HeaderStream : public net::Stream {
 public:
  static absl::StatusOr<std::unique_ptr<HeaderStream>> Create(
      net::EventLoop& loop, UniqueFd fd) {
    std::unique_ptr<HeaderStream> stream(new HeaderStream(loop, std::move(fd)));
    RETURN_IF_ERROR(stream->Register());
    return stream;
  }
  const ProxyHeader& header() const { return header_; }

 private:
  HeaderStream(net::EventLoop& loop, UniqueFd fd)
      : Stream(loop, std::move(fd)) {}

  int64_t Receive(char*, size_t) override {
    char bytes[kMostProxyHeaderBytes];
    const ssize_t got =
        recv(fd(), bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno == EINTR ? Receive(nullptr, 0) : -errno;
    if (got == 0) return 0;
    header_ = ScanProxyHeader({bytes, static_cast<size_t>(got)});
    // More of it is another edge; what was looked at stays.
    if (header_.state == ScanState::kMore) return kWait;
    if (header_.state == ScanState::kRefused) return -EPROTO;
    const ssize_t taken = recv(fd(), bytes, header_.bytes, MSG_DONTWAIT);
    return taken == static_cast<ssize_t>(header_.bytes) ? 1 : -EIO;
  }
  int Encode(std::string_view) override { return EPIPE; }
  int EncodeEnd() override { return 0; }

  ProxyHeader header_;
};

}  // namespace

net::Task<absl::StatusOr<std::optional<net::Address>>> ReadProxyHeader(
    net::EventLoop& loop, UniqueFd* fd, absl::Duration patience) {
  absl::StatusOr<std::unique_ptr<HeaderStream>> stream =
      HeaderStream::Create(loop, std::move(*fd));
  if (!stream.ok()) co_return stream.status();
  (*stream)->ExpireAfter(patience);
  char byte = 0;
  net::IoResult got = co_await (*stream)->Read(&byte, 1);
  if (got.error == EPROTO) {
    co_return absl::InvalidArgumentError(std::string("PROXY header: ") +
                                         (*stream)->header().why);
  }
  if (got.error != 0) co_return ErrnoError(got.error, "PROXY header");
  if (got.bytes == 0) {
    co_return absl::UnavailableError("PROXY header: the other side hung up");
  }
  *fd = (*stream)->Release();
  co_return (*stream)->header().client;
}

}  // namespace carme::proxy
