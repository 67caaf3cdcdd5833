#include "proxy/http/path_prefix.h"

#include <algorithm>
#include <vector>

namespace carme::proxy {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// "." and "..", also with a dot written as %2e.
bool IsDots(std::string_view segment) {
  int dots = 0;
  while (!segment.empty()) {
    const size_t size = StartsWithIgnoreCase(segment, "%2e") ? 3 : 1;
    if (size == 1 && segment[0] != '.') return false;
    segment.remove_prefix(size);
    ++dots;
  }
  return dots == 1 || dots == 2;
}

// Browsers read "\" as "/", drop tabs and resolve dots.
bool IsReadAsWritten(std::string_view path) {
  if (path.find_first_of("\\\t") != std::string_view::npos) return false;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    if (IsDots(segment)) return false;
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
  }
  return true;
}

bool IsBelow(std::string_view prefix, std::string_view path) {
  return StartsWith(path, prefix) && path.substr(prefix.size(), 1) == "/" &&
         IsReadAsWritten(path);
}

// The target of a redirect. A relative one or one to another host is kept.
std::string LocationBelow(std::string_view prefix, std::string_view host,
                          std::string_view value) {
  std::string_view rest = value;
  for (std::string_view scheme : {"https:", "http:"}) {
    if (!StartsWithIgnoreCase(value, scheme)) continue;
    rest.remove_prefix(scheme.size());
    break;
  }
  if (StartsWith(rest, "//")) {
    rest.remove_prefix(2);
    const std::string_view authority =
        rest.substr(0, rest.find_first_of("/?#\\"));
    const bool ours =
        EqualsIgnoreCase(authority.substr(0, host.size()), host) &&
        (authority.size() == host.size() ||
         authority.substr(host.size()) == ":443");
    if (!ours) return std::string(value);
    rest.remove_prefix(authority.size());
  } else if (rest.size() != value.size() || !StartsWith(rest, "/")) {
    return std::string(value);
  }
  std::string below(value.substr(0, value.size() - rest.size()));
  const std::string_view path = rest.substr(0, rest.find_first_of("?#"));
  below += PathBelowPrefix(prefix, path);
  return below.append(rest.substr(path.size()));
}

// Without a valid path, browsers use the path of the request, which is below
// the prefix. Of several paths they use the last one.
std::string CookieBelow(std::string_view prefix, std::string_view cookie) {
  size_t end = cookie.find(';');
  std::string kept(cookie.substr(0, end));
  std::string_view path;
  while (end != std::string_view::npos) {
    cookie.remove_prefix(end + 1);
    end = cookie.find(';');
    const std::string_view part = TrimBlanks(cookie.substr(0, end));
    const size_t equals = part.find('=');
    if (!EqualsIgnoreCase(TrimBlanks(part.substr(0, equals)), "path")) {
      kept.append("; ").append(part);
    } else {
      path = equals == std::string_view::npos
                 ? ""
                 : TrimBlanks(part.substr(equals + 1));
    }
  }
  if (StartsWith(path, "/")) {
    kept.append("; Path=").append(PathBelowPrefix(prefix, path));
  }
  return kept;
}

}  // namespace

std::string PathBelowPrefix(std::string_view prefix, std::string_view path) {
  if (path == prefix || IsBelow(prefix, path)) return std::string(path);
  std::string below(prefix);
  if (!StartsWith(path, "/") || !IsReadAsWritten(path)) return below + "/";
  return below.append(path);
}

void RewriteForPrefix(std::string_view prefix, std::string_view host,
                      ResponseHead* head, std::list<std::string>* values) {
  std::erase_if(head->fields, [](const Field& field) {
    return field.id == FieldId::kOriginWide;
  });
  for (Field& field : head->fields) {
    switch (field.id) {
      case FieldId::kSetCookie:
        values->push_back(CookieBelow(prefix, field.value));
        break;
      case FieldId::kLocation:
        values->push_back(LocationBelow(prefix, host, field.value));
        break;
      case FieldId::kServiceWorkerAllowed:
        // Scopes are compared as strings: the bare prefix would include apps
        // with a longer label.
        values->push_back(IsBelow(prefix, field.value)
                              ? std::string(field.value)
                              : std::string(prefix) + "/");
        break;
      default:
        continue;
    }
    field.value = values->back();
    field.line = {};
  }
}

}  // namespace carme::proxy
