#include "proxy/http/forwarded.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carme::proxy {
namespace {

constexpr size_t kMaxElements = 64;

absl::Status Malformed() {
  return absl::InvalidArgumentError("Forwarded cannot be read");
}

// Reads a token or a quoted string (RFC 9110 section 5.6.4). False: neither.
bool TakeValue(std::string_view* rest, std::string* value) {
  value->clear();
  if (rest->empty() || rest->front() != '"') {
    const size_t end = rest->find_first_of(",; \t");
    *value = std::string(rest->substr(0, end));
    rest->remove_prefix(value->size());
    // RFC 7239 requires quotes around values with a colon, but some proxies
    // omit them.
    return !value->empty() && value->find('"') == std::string::npos;
  }
  for (size_t i = 1; i < rest->size(); ++i) {
    char c = (*rest)[i];
    if (c == '"') {
      rest->remove_prefix(i + 1);
      return true;
    }
    if (c == '\\') {
      if (++i == rest->size()) return false;
      c = (*rest)[i];
    }
    *value += c;
  }
  return false;
}

void SkipBlanks(std::string_view* rest) {
  while (!rest->empty() && (rest->front() == ' ' || rest->front() == '\t')) {
    rest->remove_prefix(1);
  }
}

// Appends the `for` parameter of each element, "" where it is missing.
bool ReadField(std::string_view rest, std::vector<std::string>* nodes) {
  std::string value;
  bool open = true;  // an element has begun
  bool has_for = false;
  nodes->emplace_back();
  while (true) {
    SkipBlanks(&rest);
    if (rest.empty()) return true;
    if (rest.front() == ',') {
      if (nodes->size() == kMaxElements) return false;
      nodes->emplace_back();
      has_for = false;
      open = true;
      rest.remove_prefix(1);
      continue;
    }
    if (rest.front() == ';') {
      open = true;
      rest.remove_prefix(1);
      continue;
    }
    const size_t equals = rest.find('=');
    if (!open || equals == std::string_view::npos) return false;
    const std::string_view name = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
    if (!IsToken(name) || !TakeValue(&rest, &value)) return false;
    open = false;
    if (!EqualsIgnoreCase(name, "for")) continue;
    if (std::exchange(has_for, true)) return false;
    nodes->back() = value;
  }
}

// "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80", and the
// common bare IPv6 address. nullopt for "unknown" and obfuscated names.
std::optional<net::Address> AddressOf(const std::string& node) {
  std::string ip = node;
  const bool brackets = !ip.empty() && ip.front() == '[';
  if (brackets) {
    const size_t end = ip.find(']');
    if (end == std::string::npos ||
        (end + 1 < ip.size() && ip[end + 1] != ':')) {
      return std::nullopt;
    }
    ip = ip.substr(1, end - 1);
  } else if (const size_t colon = ip.find(':');
             colon != std::string::npos && colon == ip.rfind(':')) {
    ip.resize(colon);
  }
  auto address = net::Address::FromIp(ip, 0);
  if (!address.ok()) return std::nullopt;
  if (brackets && address->family() != AF_INET6) return std::nullopt;
  return *address;
}

}  // namespace

absl::StatusOr<std::optional<net::Address>> ForwardedClient(
    const Head& head, const net::Networks& trusted) {
  std::vector<std::string> nodes;
  for (const Field& field : head.fields) {
    if (!EqualsIgnoreCase(field.name, "forwarded")) continue;
    if (!ReadField(field.value, &nodes)) return Malformed();
  }
  std::optional<net::Address> client;
  for (size_t i = nodes.size(); i-- > 0;) {
    std::optional<net::Address> node = AddressOf(nodes[i]);
    // Elements before an unknown one were sent by it.
    if (!node) break;
    client = node;
    if (!trusted.Contains(*node)) break;
  }
  return client;
}

}  // namespace carme::proxy
