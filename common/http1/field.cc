#include "common/http1/field.h"

#include <array>
#include <cstring>

namespace carme {
namespace {

constexpr std::array<bool, 256> kTokenCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

struct Known {
  std::string_view name;  // lower case
  FieldId id;
};

constexpr Known kKnown[] = {
    {"host", FieldId::kHost},
    {"connection", FieldId::kConnection},
    {"content-length", FieldId::kContentLength},
    {"transfer-encoding", FieldId::kTransferEncoding},
    {"upgrade", FieldId::kUpgrade},
    {"keep-alive", FieldId::kHopByHop},
    {"te", FieldId::kHopByHop},
    {"trailer", FieldId::kHopByHop},
    {"proxy-connection", FieldId::kHopByHop},
    {"proxy-authenticate", FieldId::kHopByHop},
    {"proxy-authorization", FieldId::kHopByHop},
    {"http2-settings", FieldId::kHopByHop},
    {"forwarded", FieldId::kProxyOnly},
    {"x-real-ip", FieldId::kProxyOnly},
    {"x-scheme", FieldId::kProxyOnly},
    {"x-request-id", FieldId::kProxyOnly},
    {"expect", FieldId::kExpect},
    {"traceparent", FieldId::kTraceparent},
    {"tracestate", FieldId::kTracestate},
    {"range", FieldId::kRange},
    {"if-range", FieldId::kRange},
    {"cookie", FieldId::kCookie},
    {"set-cookie", FieldId::kSetCookie},
    {"origin", FieldId::kOrigin},
    {"accept", FieldId::kAccept},
    {"sec-fetch-site", FieldId::kSecFetchSite},
    {"sec-fetch-mode", FieldId::kSecFetchMode},
    {"sec-fetch-dest", FieldId::kSecFetchDest},
    {"sec-websocket-key", FieldId::kSecWebSocketKey},
    {"sec-websocket-version", FieldId::kSecWebSocketVersion},
    {"sec-websocket-accept", FieldId::kSecWebSocketAccept},
    {"alt-svc", FieldId::kAltSvc},
    {"clear-site-data", FieldId::kClearSiteData},
    {"strict-transport-security", FieldId::kStrictTransportSecurity},
    {"location", FieldId::kLocation},
    {"service-worker-allowed", FieldId::kServiceWorkerAllowed},
    {"nel", FieldId::kOriginWide},
    {"report-to", FieldId::kOriginWide},
    {"use-as-dictionary", FieldId::kOriginWide},
};
constexpr size_t kMaxNameBytes = 25;

// Ranges of kKnown by the length of the names.
struct ByLength {
  std::array<std::array<uint8_t, 6>, kMaxNameBytes + 1> entries{};
  std::array<uint8_t, kMaxNameBytes + 1> counts{};
};

constexpr ByLength kByLength = [] {
  ByLength table;
  for (uint8_t i = 0; i < std::size(kKnown); ++i) {
    size_t length = kKnown[i].name.size();
    table.entries[length][table.counts[length]++] = i;
  }
  return table;
}();

// Compares a token with a name of the same length in kKnown. Names have
// lower-case letters, digits and "-" only. Setting the lower-case bit maps no
// other token character to one of these.
bool IsKnown(std::string_view token, std::string_view name) {
  constexpr uint64_t kSmall = 0x2020202020202020;
  const auto differ = [&](size_t at) {
    uint64_t a, b;
    std::memcpy(&a, token.data() + at, sizeof a);
    std::memcpy(&b, name.data() + at, sizeof b);
    return (a | kSmall) != b;
  };
  if (name.size() < sizeof kSmall) return EqualsIgnoreCase(token, name);
  for (size_t at = 0; at + sizeof kSmall < name.size(); at += sizeof kSmall) {
    if (differ(at)) return false;
  }
  return !differ(name.size() - sizeof kSmall);
}

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

size_t TokenSize(std::string_view text) {
  size_t size = 0;
  while (size < text.size() &&
         kTokenCharacters[static_cast<unsigned char>(text[size])]) {
    ++size;
  }
  return size;
}

bool IsToken(std::string_view text) {
  return !text.empty() && TokenSize(text) == text.size();
}

bool HasControl(std::string_view text) {
  // Compares sixteen bytes at a time, because values are most of a head.
  typedef unsigned char Lanes __attribute__((vector_size(16)));
  typedef uint64_t Words64 __attribute__((vector_size(16)));
  Lanes found{};
  const auto check_lanes = [&found](Lanes bytes) {
    found |= static_cast<Lanes>(((bytes < 0x20) & (bytes != '\t')) |
                                (bytes == 0x7f));
  };
  Lanes lanes;
  while (text.size() >= sizeof lanes) {
    std::memcpy(&lanes, text.data(), sizeof lanes);
    check_lanes(lanes);
    text.remove_prefix(sizeof lanes);
  }
  if (!text.empty()) {
    lanes = Lanes{} + static_cast<unsigned char>(' ');
    std::memcpy(&lanes, text.data(), text.size());
    check_lanes(lanes);
  }
  const auto halves = reinterpret_cast<Words64>(found);
  return (halves[0] | halves[1]) != 0;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

FieldId FieldIdFor(std::string_view name) {
  if (name.size() <= kMaxNameBytes) {
    for (size_t i = 0; i < kByLength.counts[name.size()]; ++i) {
      const Known& known = kKnown[kByLength.entries[name.size()][i]];
      if (IsKnown(name, known.name)) return known.id;
    }
  }
  if (std::memchr(name.data(), '_', name.size()) != nullptr) {
    return FieldId::kUnderscored;
  }
  if (Lower(name.front()) == 'x' &&
      (StartsWithIgnoreCase(name, "x-forwarded") ||
       StartsWithIgnoreCase(name, "x-carme-"))) {
    return FieldId::kProxyOnly;
  }
  return FieldId::kOther;
}

}  // namespace carme
