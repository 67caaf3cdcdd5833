#include "frontend/http/request_head.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace carme::frontend {
namespace {

using Refusal = std::optional<HttpError>;

HttpError BadRequest(std::string message) { return {400, std::move(message)}; }

// RFC 9110 section 5.6.2.
bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

// Visible characters, spaces and tabs, and bytes of other encodings: neither
// zero nor a line end can hide in a value.
bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes a line without its CRLF from the front of `text`.
std::optional<std::string_view> TakeLine(std::string_view* text) {
  const size_t end = text->find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + 2);
  return line;
}

Refusal ParseRequestLine(std::string_view line, HttpRequest* request) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return BadRequest("malformed request line");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (line.substr(last + 1) != "HTTP/1.1") {
    return HttpError{505, "expected HTTP/1.1"};
  }
  if (!IsToken(method)) return BadRequest("malformed method");
  if (target.size() > kMaxTargetBytes) {
    return HttpError{
        414, absl::StrCat("address of ", target.size(),
                          " bytes: expected at most ", kMaxTargetBytes)};
  }
  const bool visible = std::all_of(target.begin(), target.end(), [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '#';
  });
  if (!target.starts_with('/') || !visible) {
    return BadRequest("malformed address: expected a path");
  }
  request->method = std::string(method);
  request->path = std::string(target.substr(0, target.find('?')));
  return std::nullopt;
}

Refusal ParseField(std::string_view line, HttpHeaders* headers) {
  const size_t colon = line.find(':');
  // A name with a space is also how a folded line looks (RFC 9112 section 5.2).
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
    return BadRequest("malformed header field");
  }
  const std::string_view value = Trim(line.substr(colon + 1));
  if (!IsFieldValue(value)) return BadRequest("malformed header value");
  std::string name(line.substr(0, colon));
  absl::AsciiStrToLower(&name);
  if (headers->Find(name) != nullptr) {
    return BadRequest(absl::StrCat("header \"", name, "\" was sent twice"));
  }
  headers->Add(std::move(name), std::string(value));
  return std::nullopt;
}

Refusal ReadLength(HttpRequestHead* head) {
  const HttpHeaders& headers = head->request.headers;
  if (headers.Find("transfer-encoding") != nullptr) {
    return HttpError{411, "transfer-encoding: expected content-length"};
  }
  const std::string* length = headers.Find("content-length");
  const bool takes_body = head->request.method == "POST";
  if (length == nullptr) {
    if (takes_body) return HttpError{411, "expected content-length"};
    return std::nullopt;
  }
  const bool digits = !length->empty() && length->size() <= 10 &&
                      std::all_of(length->begin(), length->end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  uint64_t bytes = 0;
  if (!digits || !absl::SimpleAtoi(*length, &bytes)) {
    return BadRequest("malformed content-length");
  }
  if (bytes > 0 && !takes_body) {
    return BadRequest(absl::StrCat("method ", head->request.method,
                                   " with a body: expected none"));
  }
  head->content_length = bytes;
  return std::nullopt;
}

Refusal ReadExpect(HttpRequestHead* head) {
  const std::string* expect = head->request.headers.Find("expect");
  if (expect == nullptr) return std::nullopt;
  if (absl::AsciiStrToLower(*expect) != "100-continue") {
    return HttpError{417, "expect: only 100-continue is known"};
  }
  head->expects_continue = true;
  return std::nullopt;
}

}  // namespace

std::optional<HttpError> ParseRequestHead(std::string_view text,
                                          HttpRequestHead* head) {
  *head = HttpRequestHead();
  const std::optional<std::string_view> first = TakeLine(&text);
  if (!first) return BadRequest("malformed request line");
  if (Refusal error = ParseRequestLine(*first, &head->request)) return error;
  while (true) {
    const std::optional<std::string_view> line = TakeLine(&text);
    if (!line) return BadRequest("head without an end");
    if (line->empty()) break;
    if (head->request.headers.size() == kMaxHeaders) {
      return HttpError{
          431, absl::StrCat("more than ", kMaxHeaders, " header fields")};
    }
    if (Refusal error = ParseField(*line, &head->request.headers)) return error;
  }
  if (head->request.headers.Get("host").empty()) {
    return BadRequest("expected a host");
  }
  if (Refusal error = ReadLength(head)) return error;
  if (Refusal error = ReadExpect(head)) return error;
  head->close = absl::AsciiStrToLower(std::string(
                    head->request.headers.Get("connection"))) == "close";
  return std::nullopt;
}

}  // namespace carme::frontend
