#include "frontend/http/request_head.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"

namespace carme::frontend {
namespace {

constexpr ScanResult Refused(int status, const char* error) {
  return {ScanState::kRefused, 0, status, error};
}

}  // namespace

ScanResult ScanRequestHead(std::string_view bytes, HttpRequestHead* head) {
  RequestHead scanned;
  const ScanResult scan = ScanRequest(bytes, kRequestHeadLimits, &scanned);
  if (scan.state != ScanState::kDone) return scan;
  if (scanned.host.empty()) return Refused(400, "empty Host");
  const bool takes_body = scanned.method == "POST";
  if (scanned.chunked || (takes_body && !scanned.has_length)) {
    return Refused(411, "expected Content-Length");
  }
  if (!takes_body && scanned.length > 0) {
    return Refused(400, "body without POST");
  }
  *head = {.content_length = scanned.length,
           .close = scanned.close,
           .expects_continue = scanned.expects_continue};
  head->request.method = std::string(scanned.method);
  head->request.path =
      std::string(scanned.target.substr(0, scanned.target.find('?')));
  for (const Field& field : scanned.fields) {
    std::string name(field.name);
    absl::AsciiStrToLower(&name);
    if (!head->request.headers.Add(std::move(name), std::string(field.value))) {
      return Refused(400, "header field sent twice");
    }
  }
  return scan;
}

}  // namespace carme::frontend
