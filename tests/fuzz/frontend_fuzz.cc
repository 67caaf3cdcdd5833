// The frontend's parsers of untrusted bytes, and the invariants of an accepted
// request.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "carme/v1/jobs.pb.h"
#include "frontend/gateway/envelope.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/gateway/request_checks.h"
#include "frontend/gateway/session_cookie.h"
#include "frontend/http/content_coding.h"
#include "frontend/http/portal_origin.h"
#include "frontend/http/request_head.h"

namespace carme::frontend {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void FuzzHead(const std::string& bytes) {
  HttpRequestHead head;
  const ScanResult scan = ScanRequestHead(bytes, &head);
  if (scan.state != ScanState::kDone) return;
  Check(scan.head_bytes <= bytes.size());
  Check(head.request.path.starts_with('/'));
  Check(head.request.path.find_first_of(std::string_view("\0\r\n ?#", 6)) ==
        std::string::npos);
  const HttpHeaders& headers = head.request.headers;
  Check(!headers.Get("host").empty());
  Check(headers.Find("transfer-encoding") == nullptr);
  const auto token = SessionTokenOf(headers);
  Check(!token.ok() || token->empty() || IsSessionToken(*token));
  Check(RequestIdOf(headers).size() >= 8);
  static const PortalOrigin portal = *ParsePortalOrigin("https://carme.test");
  if (!CheckOrigin(portal, headers) && headers.Find("origin") != nullptr) {
    Check(headers.Get("origin") == portal.origin);
  }
  AcceptsCoding(headers.Get("accept-encoding"), "br");
}

void FuzzBody(const std::string& bytes) {
  const auto message = OpenEnvelope(bytes);
  if (message.ok()) Check(Envelope(kMessage, *message) == bytes);
  v1::SubmitJobRequest request;
  if (ParseJson(bytes, &request).ok()) {
    const auto json = PrintJson(request);
    Check(json.ok());
    v1::SubmitJobRequest again;
    Check(ParseJson(*json, &again).ok());
  }
  const std::string text = JsonString(bytes);
  Check(text.size() >= 2 && text.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace carme::frontend

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  carme::frontend::FuzzHead(bytes);
  carme::frontend::FuzzBody(bytes);
  return 0;
}
