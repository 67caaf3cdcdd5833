#include "proxy/http/cross_origin.h"

namespace carme::proxy {
namespace {

std::string_view ValueOf(const RequestHead& head, FieldId id) {
  const Field* field = head.Find(id);
  return field == nullptr ? std::string_view() : field->value;
}

std::string_view ValueOf(const RequestHead& head, std::string_view name) {
  for (const Field& field : head.fields) {
    if (EqualsIgnoreCase(field.name, name)) return field.value;
  }
  return {};
}

bool IsOfOrigin(std::string_view url, std::string_view origin) {
  const size_t size = origin.size();
  return EqualsIgnoreCase(url.substr(0, size), origin) &&
         (url.size() == size || url[size] == '/');
}

// Browsers without Fetch Metadata (Safari before 16.4, Firefox before 90) let a
// page of another job load a script or an image of this job with its cookie.
// Only the Referer identifies the page, and the page can omit but not forge it.
// All browsers send "Mozilla" as User-Agent, which no page can change without a
// preflight.
const char* LegacyRefusal(const RequestHead& head, std::string_view origin) {
  if (ValueOf(head, "user-agent").substr(0, 8) != "Mozilla/") return nullptr;
  if (IsOfOrigin(ValueOf(head, "referer"), origin)) return nullptr;
  // A followed link. Elements that load a resource do not accept HTML.
  const bool navigates =
      head.IsSafe() && ValueOf(head, FieldId::kAccept).find("text/html") !=
                           std::string_view::npos;
  return navigates ? nullptr : "a resource for another site";
}

}  // namespace

const char* CrossOriginRefusal(const RequestHead& head,
                               std::string_view origin) {
  const Field* origin_field = head.Find(FieldId::kOrigin);
  const bool foreign_origin =
      origin_field != nullptr && !EqualsIgnoreCase(origin_field->value, origin);
  if (head.opens_websocket) {
    return foreign_origin ? "a websocket from another origin" : nullptr;
  }
  if (!head.IsSafe() && foreign_origin) return "a request from another origin";

  const std::string_view hosts = ValueOf(head, FieldId::kSecFetchSite);
  if (hosts.empty()) {
    if (foreign_origin) return "a resource for another site";
    return origin_field == nullptr ? LegacyRefusal(head, origin) : nullptr;
  }
  if (hosts == "same-origin" || hosts == "none") return nullptr;
  if (!head.IsSafe()) return "a request from another site";
  // A followed link is allowed. A frame (clickjacking), a script or an image
  // (reads from the app) is not.
  const std::string_view dest = ValueOf(head, FieldId::kSecFetchDest);
  const bool followed_link =
      ValueOf(head, FieldId::kSecFetchMode) == "navigate" &&
      (dest.empty() || dest == "document");
  return followed_link ? nullptr : "a resource for another site";
}

bool IsNavigation(const RequestHead& head) {
  if (head.method != "GET" || head.opens_websocket) return false;
  const std::string_view mode = ValueOf(head, FieldId::kSecFetchMode);
  if (!mode.empty()) return mode == "navigate";
  return ValueOf(head, FieldId::kAccept).find("text/html") !=
         std::string_view::npos;
}

}  // namespace carme::proxy
