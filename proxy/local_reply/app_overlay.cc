#include "proxy/local_reply/app_overlay.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kOverlayScript =
#include "proxy/local_reply/app_overlay.js.inc"
    ;

// `type` without parameters.
bool IsHtml(std::string_view type) {
  return EqualsIgnoreCase(TrimBlanks(type.substr(0, type.find(';'))),
                          "text/html");
}

}  // namespace

bool WantsOverlay(const RequestHead& head) {
  if (head.method != "GET" || head.opens_websocket) return false;
  const Field* destination = head.Find(FieldId::kSecFetchDest);
  return destination != nullptr && destination->value == "document";
}

bool TakesOverlay(const ResponseHead& head) {
  if (head.status != 200) return false;
  bool is_html = false;
  for (const Field& field : head.fields) {
    if (EqualsIgnoreCase(field.name, "content-type")) {
      is_html = IsHtml(field.value);
    } else if (EqualsIgnoreCase(field.name, "content-encoding") ||
               EqualsIgnoreCase(field.name, "content-disposition")) {
      return false;
    } else if (EqualsIgnoreCase(field.name, "content-security-policy") &&
               absl::StrContains(
                   absl::AsciiStrToLower(std::string(field.value)),
                   "sandbox")) {
      return false;
    }
  }
  return is_html;
}

std::string OverlayElement(std::string_view prefix) {
  std::string element = "<script src=\"";
  element.append(prefix).append(kOverlayPath).append("\" async></script>\n");
  return element;
}

std::string_view OverlayScript() { return kOverlayScript; }

}  // namespace carme::proxy
