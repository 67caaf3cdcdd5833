#include "proxy/downstream/proxy_protocol.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "common/net/stream.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr size_t kFixedBytes = 16;  // of version 2, without the addresses
constexpr std::string_view kText = "PROXY ";
constexpr size_t kMaxTextBytes = 107;  // including CRLF

ProxyHeader Refused(const char* error) {
  ProxyHeader header;
  header.state = ScanState::kRefused;
  header.error = error;
  return header;
}

ProxyHeader Done(size_t bytes, std::optional<net::Address> client) {
  ProxyHeader header;
  header.state = ScanState::kDone;
  header.bytes = bytes;
  header.client = std::move(client);
  return header;
}

// Removes the text up to the next blank from `line`.
std::string_view TakeToken(std::string_view* line) {
  const size_t end = line->find(' ');
  const std::string_view token = line->substr(0, end);
  line->remove_prefix(end == std::string_view::npos ? line->size() : end + 1);
  return token;
}

// Digits only, no leading zero.
bool ParsePort(std::string_view text, uint32_t* port) {
  if (text.empty() || text.size() > 5 || (text[0] == '0' && text.size() > 1)) {
    return false;
  }
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *port);
  return error == std::errc() && end == text.data() + text.size() &&
         text[0] != '-' && *port <= 65535;
}

ProxyHeader ScanText(std::string_view bytes) {
  const size_t end = bytes.substr(0, kMaxTextBytes).find("\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kMaxTextBytes) return Refused("line too long");
    return {};
  }
  std::string_view line = bytes.substr(kText.size(), end - kText.size());
  const std::string_view family = TakeToken(&line);
  // The rest of the line is undefined.
  if (family == "UNKNOWN") return Done(end + 2, std::nullopt);
  if (family != "TCP4" && family != "TCP6") return Refused("unknown family");
  const int wanted = family == "TCP4" ? AF_INET : AF_INET6;
  const std::string_view from = TakeToken(&line), to = TakeToken(&line);
  const std::string_view from_port = TakeToken(&line), to_port = line;
  uint32_t port = 0, own_port = 0;
  if (!ParsePort(from_port, &port) || !ParsePort(to_port, &own_port)) {
    return Refused("bad port");
  }
  const auto client = net::Address::FromIp(from, port);
  const auto own = net::Address::FromIp(to, own_port);
  if (!client.ok() || !own.ok() || client->family() != wanted ||
      own->family() != wanted) {
    return Refused("bad address");
  }
  return Done(end + 2, *client);
}

std::optional<net::Address> ClientOf(int family, const char* bytes) {
  if (family == AF_INET) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, bytes, 4);
    std::memcpy(&v4.sin_port, bytes + 8, 2);  // after both addresses
    return net::Address::FromSockaddr(reinterpret_cast<sockaddr*>(&v4),
                                      sizeof v4);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  std::memcpy(&v6.sin6_addr, bytes, 16);
  std::memcpy(&v6.sin6_port, bytes + 32, 2);
  return net::Address::FromSockaddr(reinterpret_cast<sockaddr*>(&v6),
                                    sizeof v6);
}

ProxyHeader ScanBinary(std::string_view bytes) {
  if (bytes.size() < kFixedBytes) return {};
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const int version = at(12) >> 4, command = at(12) & 0xf;
  if (version != 2) return Refused("unknown version");
  if (command > 1) return Refused("unknown command");
  const size_t size = kFixedBytes + (size_t{at(14)} << 8 | at(15));
  if (size > kMaxProxyHeaderBytes) return Refused("too long");
  if (bytes.size() < size) return {};
  if (command == 0) return Done(size, std::nullopt);  // LOCAL: ignore the rest
  const int kind = at(13);
  const char* addresses = bytes.data() + kFixedBytes;
  const size_t given = size - kFixedBytes;
  switch (kind) {
    case 0x11:  // TCP over IPv4
      if (given < 12) return Refused("too short");
      break;
    case 0x21:  // TCP over IPv6
      if (given < 36) return Refused("too short");
      break;
    default:
      // Unspecified, datagrams, unix sockets: unknown client.
      return Done(size, std::nullopt);
  }
  return Done(size, ClientOf(kind == 0x11 ? AF_INET : AF_INET6, addresses));
}

// A stream for one read, which peeks at the bytes and consumes the header only
// when it is complete.
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
    char bytes[kMaxProxyHeaderBytes];
    const ssize_t got =
        recv(fd(), bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno == EINTR ? Receive(nullptr, 0) : -errno;
    if (got == 0) return 0;
    header_ = ScanProxyHeader({bytes, static_cast<size_t>(got)});
    // More bytes trigger another event; the peeked ones stay in the socket.
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

ProxyHeader ScanProxyHeader(std::string_view bytes) {
  const auto begins = [&](std::string_view with) {
    const size_t size = std::min(bytes.size(), with.size());
    return bytes.substr(0, size) == with.substr(0, size);
  };
  if (begins(kText)) {
    return bytes.size() < kText.size() ? ProxyHeader() : ScanText(bytes);
  }
  if (begins(kSignature)) {
    return bytes.size() < kSignature.size() ? ProxyHeader() : ScanBinary(bytes);
  }
  return Refused("not a PROXY header");
}

net::Task<absl::StatusOr<std::optional<net::Address>>> ReadProxyHeader(
    net::EventLoop& loop, UniqueFd* fd, absl::Duration timeout) {
  absl::StatusOr<std::unique_ptr<HeaderStream>> stream =
      HeaderStream::Create(loop, std::move(*fd));
  if (!stream.ok()) co_return stream.status();
  (*stream)->ExpireAfter(timeout);
  char byte = 0;
  net::IoResult got = co_await (*stream)->Read(&byte, 1);
  if (got.error == EPROTO) {
    co_return absl::InvalidArgumentError(std::string("PROXY header: ") +
                                         (*stream)->header().error);
  }
  if (got.error != 0) co_return ErrnoError(got.error, "PROXY header");
  if (got.bytes == 0) {
    co_return absl::UnavailableError("PROXY header: connection closed");
  }
  *fd = (*stream)->Release();
  co_return (*stream)->header().client;
}

}  // namespace carme::proxy
