#include "frontend/http/incoming_request.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/http1/field.h"
#include "common/http1/value_escaping.h"

namespace carme::frontend {
namespace {

using Refusal = std::optional<HttpError>;

// The library adds these to the fields that were sent. The proxy forwards no
// name with an underscore.
constexpr std::array<std::string_view, 4> kAddedByLibrary = {
    "remote_addr", "remote_port", "local_addr", "local_port"};

Refusal CheckLine(const httplib::Request& parsed) {
  if (parsed.version != "HTTP/1.1") {
    return HttpError{505, "expected HTTP/1.1"};
  }
  if (parsed.method == "CONNECT" || parsed.method == "TRACE" ||
      parsed.method == "PRI") {
    return HttpError{501, "the method is not supported"};
  }
  const std::string& target = parsed.target;
  if (target.size() > kMaxTargetBytes) {
    return HttpError{414, "the address is too long"};
  }
  const bool printable = std::all_of(target.begin(), target.end(), [](char c) {
    return c > ' ' && c < '\x7f';
  });
  if (!target.starts_with('/') || !printable) {
    return HttpError{400, "invalid address"};
  }
  return std::nullopt;
}

// Each field once, with the value that the client sent.
Refusal ConvertFields(const httplib::Headers& sent, HttpHeaders* fields) {
  // A library that does not decode leaves the probe escaped.
  const auto probe = sent.find(std::string(kEscapeProbe));
  const bool escaped = probe != sent.end() && probe->second == kEscapedPercent;
  size_t bytes = 0;
  for (const auto& [original_name, value] : sent) {
    std::string name = absl::AsciiStrToLower(original_name);
    if (std::find(kAddedByLibrary.begin(), kAddedByLibrary.end(), name) !=
        kAddedByLibrary.end()) {
      continue;
    }
    bytes += name.size() + value.size();
    if (bytes > kMaxHeaderBytes || fields->size() == kMaxHeaderFields) {
      return HttpError{431, "too many or too large header fields"};
    }
    if (!IsToken(name) || HasControl(value)) {
      return HttpError{400, "invalid header field"};
    }
    if (!fields->Add(std::move(name), escaped ? Unescape(value) : value)) {
      return HttpError{400, "header field sent twice"};
    }
  }
  return std::nullopt;
}

// What the library would apply to the response, or do with the body.
Refusal CheckFields(const HttpHeaders& fields) {
  if (fields.Get("host").empty()) return HttpError{400, "expected Host"};
  // The proxy removes it. The library would build any number of parts.
  if (fields.Find("range") != nullptr) {
    return HttpError{416, "ranges are not supported"};
  }
  if (fields.Find("transfer-encoding") != nullptr) {
    return HttpError{411, "expected Content-Length"};
  }
  const std::string* coding = fields.Find("content-encoding");
  if (coding != nullptr && *coding != "identity") {
    return HttpError{501, "compressed bodies are not supported"};
  }
  const std::string type =
      absl::AsciiStrToLower(std::string(fields.Get("content-type")));
  if (type.starts_with("multipart/")) {
    return HttpError{415, "multipart bodies are not supported"};
  }
  const std::string* expect = fields.Find("expect");
  if (expect != nullptr && *expect != "100-continue") {
    return HttpError{417, "unknown expectation"};
  }
  return std::nullopt;
}

Refusal ConvertLength(const HttpRequest& request, size_t* length) {
  const std::string* text = request.headers.Find("content-length");
  const bool takes_body = request.method == "POST";
  if (text == nullptr) {
    if (takes_body) return HttpError{411, "expected Content-Length"};
    return std::nullopt;
  }
  const bool digits =
      std::all_of(text->begin(), text->end(), absl::ascii_isdigit);
  if (!digits || !absl::SimpleAtoi(*text, length)) {
    return HttpError{400, "invalid Content-Length"};
  }
  if (!takes_body && *length > 0) return HttpError{400, "body without POST"};
  if (*length > kMaxBodyBytes) {
    return HttpError{
        413, absl::StrCat("body of ", *length, " bytes: expected at most ",
                          kMaxBodyBytes)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<HttpError> ConvertRequest(const httplib::Request& parsed,
                                        IncomingRequest* incoming) {
  HttpRequest& request = incoming->request;
  if (Refusal refusal = CheckLine(parsed)) return refusal;
  if (Refusal refusal = ConvertFields(parsed.headers, &request.headers)) {
    return refusal;
  }
  request.from_proxy = request.headers.Get(kEscapeProbe) == "%";
  if (Refusal refusal = CheckFields(request.headers)) return refusal;
  // `path` of the library is decoded.
  request.method = parsed.method;
  const size_t mark = parsed.target.find('?');
  request.path = parsed.target.substr(0, mark);
  if (mark != std::string::npos) request.query = parsed.target.substr(mark + 1);
  request.peer = parsed.remote_addr;
  return ConvertLength(request, &incoming->content_length);
}

}  // namespace carme::frontend
