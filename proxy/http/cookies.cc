#include "proxy/http/cookies.h"

#include <algorithm>

namespace carme::proxy {
namespace {

// All names with these prefixes are reserved. Browsers compare `__Host-` and
// `__Secure-` case-insensitively.
bool IsCarmes(std::string_view name) {
  return StartsWithIgnoreCase(name, kPortalCookieName) ||
         StartsWithIgnoreCase(name, kPathCookieName);
}

std::string_view NameOf(std::string_view pair) {
  // Some servers read a pair without '=' as a name, others as a nameless
  // cookie: treat all of it as a name.
  std::string_view name = pair.substr(0, pair.find('='));
  return TrimBlanks(name);
}

// Calls `visit(pair)` for each name=value of a list.
template <typename Visit>
void ForEachPair(std::string_view list, Visit visit) {
  while (!list.empty()) {
    size_t end = list.find(';');
    std::string_view pair = TrimBlanks(list.substr(0, end));
    if (!pair.empty()) visit(pair);
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + 1);
  }
}

template <typename Keep>
void AppendCookies(std::string_view field, Keep keep, std::string* out) {
  bool first = true;
  ForEachPair(field, [&](std::string_view pair) {
    if (!keep(NameOf(pair))) return;
    out->append(first ? "Cookie: " : "; ").append(pair);
    first = false;
  });
  if (!first) out->append("\r\n");
}

}  // namespace

std::string_view FindCookie(const RequestHead& head, std::string_view name) {
  std::string_view found;
  int count = 0;
  for (const Field& field : head.fields) {
    if (field.id != FieldId::kCookie) continue;
    ForEachPair(field.value, [&](std::string_view pair) {
      size_t equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) {
        return;
      }
      found = pair.substr(equals + 1);
      ++count;
    });
  }
  return count == 1 ? found : std::string_view();
}

void AppendJobCookies(std::string_view field, std::string* out) {
  AppendCookies(
      field, [](std::string_view name) { return !IsCarmes(name); }, out);
}

void AppendPortalCookies(std::string_view field, std::string* out) {
  AppendCookies(
      field, [](std::string_view name) { return name == kPortalCookieName; },
      out);
}

void KeepPortalCookies(std::string_view list, std::string* out) {
  ForEachPair(list, [&](std::string_view pair) {
    if (NameOf(pair) != kPortalCookieName) return;
    if (!out->empty()) out->append("; ");
    out->append(pair);
  });
}

bool IsMostlyCookies(std::string_view head) {
  constexpr std::string_view kName = "cookie:";
  size_t cookies = 0;
  for (size_t at = 0; at < head.size();) {
    const size_t end = std::min(head.find('\n', at), head.size() - 1) + 1;
    if (StartsWithIgnoreCase(head.substr(at), kName)) cookies += end - at;
    at = end;
  }
  return cookies > head.size() / 2;
}

bool MayJobSetCookie(std::string_view set_cookie) {
  bool first = true, good = true;
  // A leading ';' makes the first pair an attribute of a cookie without name
  // and value (RFC 6265 section 5.2).
  if (set_cookie.substr(0, 1) == ";") return false;
  ForEachPair(set_cookie, [&](std::string_view pair) {
    std::string_view name = NameOf(pair);
    if (first) {
      bool named = pair.find('=') != std::string_view::npos && !name.empty();
      good = named && !IsCarmes(name);
      first = false;
    } else if (EqualsIgnoreCase(name, "domain")) {
      good = false;
    }
  });
  return good && !first;
}

}  // namespace carme::proxy
