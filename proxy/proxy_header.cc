#include "proxy/proxy_header.h"

#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

namespace carme::proxy {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr size_t kFixedBytes = 16;  // of version 2, before the addresses
constexpr std::string_view kText = "PROXY ";
constexpr size_t kMostTextBytes = 107;  // with its CRLF

ProxyHeader Refused(const char* why) {
  ProxyHeader header;
  header.state = ScanState::kRefused;
  header.why = why;
  return header;
}

ProxyHeader Done(size_t bytes, std::optional<net::Address> client) {
  ProxyHeader header;
  header.state = ScanState::kDone;
  header.bytes = bytes;
  header.client = std::move(client);
  return header;
}

// Takes up to the next blank off `line`.
std::string_view TakeWord(std::string_view* line) {
  const size_t end = line->find(' ');
  const std::string_view word = line->substr(0, end);
  line->remove_prefix(end == std::string_view::npos ? line->size() : end + 1);
  return word;
}

// Digits only, without a zero in front.
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
  const size_t end = bytes.substr(0, kMostTextBytes).find("\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kMostTextBytes) return Refused("line too long");
    return {};
  }
  std::string_view line = bytes.substr(kText.size(), end - kText.size());
  const std::string_view family = TakeWord(&line);
  // What follows says nothing; it may be anything.
  if (family == "UNKNOWN") return Done(end + 2, std::nullopt);
  if (family != "TCP4" && family != "TCP6") return Refused("unknown family");
  const int wanted = family == "TCP4" ? AF_INET : AF_INET6;
  const std::string_view from = TakeWord(&line), to = TakeWord(&line);
  const std::string_view from_port = TakeWord(&line), to_port = line;
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
    std::memcpy(&v4.sin_port, bytes + 8, 2);  // behind both addresses
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
  if (size > kMostProxyHeaderBytes) return Refused("too long");
  if (bytes.size() < size) return {};
  if (command == 0) return Done(size, std::nullopt);  // LOCAL, whatever follows
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
      // Unspecified, datagrams, unix sockets: to be taken as not known.
      return Done(size, std::nullopt);
  }
  return Done(size, ClientOf(kind == 0x11 ? AF_INET : AF_INET6, addresses));
}

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
  return Refused("no PROXY header");
}

}  // namespace carme::proxy
