// The frontend's parsers of untrusted bytes, and the invariants of an accepted
// request.
#include <httplib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_split.h"
#include "carme/v1/jobs.pb.h"
#include "frontend/gateway/envelope.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/gateway/request_checks.h"
#include "frontend/gateway/session_cookie.h"
#include "frontend/http/content_coding.h"
#include "frontend/http/incoming_request.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

// As lenient as the library's parser.
httplib::Request Parsed(const std::string& bytes) {
  httplib::Request parsed;
  parsed.version = "HTTP/1.1";
  bool first = true;
  for (absl::string_view text : absl::StrSplit(bytes, "\r\n")) {
    const std::string line(text);
    if (std::exchange(first, false)) {
      const size_t space = line.find(' ');
      parsed.method = line.substr(0, space);
      if (space == std::string::npos) continue;
      parsed.target = line.substr(space + 1, line.rfind(' ') - space - 1);
    } else if (const size_t colon = line.find(':');
               colon != std::string::npos) {
      const size_t value = line.find_first_not_of(" \t", colon + 1);
      parsed.headers.emplace(line.substr(0, colon), value == std::string::npos
                                                        ? ""
                                                        : line.substr(value));
    }
  }
  return parsed;
}

void FuzzRequest(const std::string& bytes) {
  IncomingRequest incoming;
  if (ConvertRequest(Parsed(bytes), &incoming)) return;
  const HttpRequest& request = incoming.request;
  Check(request.path.starts_with('/'));
  Check(request.path.find_first_of(std::string_view("\0\r\n ?", 5)) ==
        std::string::npos);
  Check(incoming.content_length <= kMaxBodyBytes);
  const HttpHeaders& headers = request.headers;
  Check(request.from_proxy == (headers.Get("x-carme-escape-probe") == "%"));
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
  carme::frontend::FuzzRequest(bytes);
  carme::frontend::FuzzBody(bytes);
  return 0;
}
