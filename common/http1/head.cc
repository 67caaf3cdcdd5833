#include "common/http1/head.h"

#include <cstring>

namespace carme {
namespace {

constexpr ScanResult Refused(int status, const char* error) {
  return {ScanState::kRefused, 0, status, error};
}
constexpr ScanResult kGood = {ScanState::kDone, 0, 0, ""};

bool IsRefused(const ScanResult& result) {
  return result.state == ScanState::kRefused;
}

// Finds the end of the head, after its empty line.
ScanResult FindEnd(std::string_view bytes, const HeadLimits& limits) {
  // Line by line, because memmem() is slow with a short needle.
  for (size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes.substr(at - 1, 4) != "\r\n\r\n") continue;
    const size_t size = at + 3;
    if (size > limits.max_bytes) return Refused(431, "head too large");
    return {ScanState::kDone, size, 0, ""};
  }
  if (bytes.size() >= limits.max_bytes) return Refused(431, "head too large");
  // Rejects a bare LF at once; otherwise such a client would wait for a
  // timeout.
  for (size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return Refused(400, "bare LF");
  }
  return {};
}

// Removes the first line from `rest`, which ends with CRLF.
std::string_view TakeLine(std::string_view* rest) {
  const char* end =
      static_cast<const char*>(std::memchr(rest->data(), '\n', rest->size()));
  auto size = static_cast<size_t>(end - rest->data());
  std::string_view line = rest->substr(0, size);
  rest->remove_prefix(size + 1);
  return line;
}

// Digits only: no sign, no blanks, no list (RFC 9112 section 6.3 allows to
// repair a list of equal values).
bool ParseLength(std::string_view text, uint64_t* length) {
  if (text.empty() || text.size() > 18) return false;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  *length = value;
  return true;
}

bool ReadConnection(std::string_view list, Head* head) {
  while (true) {
    size_t comma = list.find(',');
    std::string_view option = TrimBlanks(list.substr(0, comma));
    if (EqualsIgnoreCase(option, "close")) {
      head->close = true;
    } else if (EqualsIgnoreCase(option, "keep-alive")) {
      head->keep_alive = true;
    } else if (EqualsIgnoreCase(option, "upgrade")) {
      head->upgrade = true;
    } else if (!option.empty() && !EqualsIgnoreCase(option, "te") &&
               !EqualsIgnoreCase(option, "http2-settings")) {
      // The option names a field that the recipient must drop. The proxy
      // decides that, not the client.
      return false;
    }
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

// Handles the framing fields of both directions.
ScanResult ApplyFramingField(const Field& field, Head* head) {
  switch (field.id) {
    case FieldId::kContentLength:
      if (head->has_length) return Refused(400, "Content-Length twice");
      if (!ParseLength(field.value, &head->length)) {
        return Refused(400, "Content-Length is not a number");
      }
      head->has_length = true;
      break;
    case FieldId::kTransferEncoding:
      if (head->chunked) return Refused(400, "Transfer-Encoding twice");
      if (!EqualsIgnoreCase(field.value, "chunked")) {
        return Refused(501, "Transfer-Encoding is not chunked");
      }
      head->chunked = true;
      break;
    case FieldId::kConnection:
      if (!ReadConnection(field.value, head)) {
        return Refused(400, "unknown Connection option");
      }
      break;
    case FieldId::kUpgrade:
      head->websocket = EqualsIgnoreCase(field.value, "websocket");
      break;
    default:
      break;
  }
  return kGood;
}

ScanResult ScanFields(std::string_view rest, const HeadLimits& limits,
                      Head* head) {
  head->fields.clear();
  while (true) {
    std::string_view line = TakeLine(&rest);
    if (line.empty() || line.back() != '\r') return Refused(400, "bare LF");
    line.remove_suffix(1);
    if (line.empty()) break;
    if (head->fields.size() == limits.max_fields) {
      return Refused(431, "too many fields");
    }
    // Also rejects obs-fold and a blank before the colon.
    const size_t colon = TokenSize(line);
    if (colon == 0 || colon == line.size() || line[colon] != ':') {
      return Refused(400, line.find(':') == std::string_view::npos
                              ? "no field name"
                              : "bad field name");
    }
    Field field;
    field.name = line.substr(0, colon);
    field.value = TrimBlanks(line.substr(colon + 1));
    if (HasControl(field.value)) return Refused(400, "control character");
    field.id = FieldIdFor(field.name);
    const size_t written = field.name.size() + 2 + field.value.size();
    if (line.size() == written && line[colon + 1] == ' ') {
      field.line = {line.data(), written + 2};
    }
    ScanResult noted = ApplyFramingField(field, head);
    if (IsRefused(noted)) return noted;
    head->fields.push_back(field);
  }
  if (head->chunked && head->has_length) {
    return Refused(400, "Content-Length and Transfer-Encoding");
  }
  return kGood;
}

void Reset(Head* head) {
  std::vector<Field> storage = std::move(head->fields);
  *head = Head();
  head->fields = std::move(storage);
}

ScanResult ScanRequestLine(std::string_view line, const HeadLimits& limits,
                           RequestHead* head) {
  if (line.empty() || line.back() != '\r') return Refused(400, "bare LF");
  line.remove_suffix(1);
  size_t first = line.find(' ');
  size_t second = line.rfind(' ');
  if (first == std::string_view::npos || first == second) {
    return Refused(400, "bad request line");
  }
  head->method = line.substr(0, first);
  head->target = line.substr(first + 1, second - first - 1);
  std::string_view version = line.substr(second + 1);
  if (!IsToken(head->method) || head->method.size() > 20) {
    return Refused(400, "bad method");
  }
  if (version != "HTTP/1.1") {
    return version.substr(0, 5) == "HTTP/" ? Refused(505, "not HTTP/1.1")
                                           : Refused(400, "bad version");
  }
  if (head->method == "CONNECT" || head->method == "TRACE") {
    return Refused(501, "method not served");
  }
  if (head->target.size() > limits.max_target_bytes) {
    return Refused(414, "target too long");
  }
  if (head->target.empty() || head->target[0] != '/') {
    return Refused(400, "target is not a path");
  }
  for (char c : head->target) {
    if (c <= ' ' || c >= 0x7f || c == '#') return Refused(400, "bad target");
  }
  return kGood;
}

ScanResult ValidateRequest(RequestHead* head) {
  int hosts = 0;
  bool websocket_version = false, websocket_key = false;
  for (const Field& field : head->fields) {
    if (field.id == FieldId::kHost) {
      ++hosts;
      head->host = field.value;
    } else if (field.id == FieldId::kExpect) {
      if (!EqualsIgnoreCase(field.value, "100-continue")) {
        return Refused(417, "unknown expectation");
      }
      head->expects_continue = true;
    } else if (field.id == FieldId::kSecWebSocketVersion) {
      websocket_version = field.value == "13";
    } else if (field.id == FieldId::kSecWebSocketKey) {
      websocket_key = field.value.size() == 24;
    }
  }
  if (hosts != 1) return Refused(400, "expected one Host");
  if (head->chunked) {
    head->body = {BodyKind::kChunked, 0};
  } else if (head->has_length && head->length > 0) {
    head->body = {BodyKind::kLength, head->length};
  }
  if (!head->upgrade || !head->websocket) return kGood;
  if (head->method != "GET" || head->chunked || head->has_length) {
    return Refused(400, "upgrade with a body");
  }
  if (!websocket_version || !websocket_key) {
    return Refused(400, "not a websocket handshake of version 13");
  }
  head->opens_websocket = true;
  return kGood;
}

ScanResult ScanStatusLine(std::string_view line, ResponseHead* head) {
  if (line.empty() || line.back() != '\r') return Refused(502, "bare LF");
  line.remove_suffix(1);
  std::string_view version = line.substr(0, 9);
  if (version == "HTTP/1.0 ") {
    head->http10 = true;
  } else if (version != "HTTP/1.1 ") {
    return Refused(502, "bad version");
  }
  line.remove_prefix(9);
  uint64_t status = 0;
  if (!ParseLength(line.substr(0, 3), &status) || status < 100 ||
      status > 599 || (line.size() > 3 && line[3] != ' ')) {
    return Refused(502, "bad status");
  }
  head->status = static_cast<int>(status);
  if (line.size() > 4) head->reason = line.substr(4);
  if (HasControl(head->reason)) return Refused(502, "control character");
  return kGood;
}

}  // namespace

const Field* Head::Find(FieldId id) const {
  for (const Field& field : fields) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

bool RequestHead::IsSafe() const {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

ScanResult ScanRequest(std::string_view bytes, const HeadLimits& limits,
                       RequestHead* head) {
  const ScanResult end = FindEnd(bytes, limits);
  if (end.state != ScanState::kDone) return end;
  Reset(head);
  head->method = head->target = head->host = {};
  head->bytes = end.head_bytes;
  head->body = {};
  head->opens_websocket = head->expects_continue = false;
  std::string_view rest = bytes.substr(0, end.head_bytes);
  ScanResult result = ScanRequestLine(TakeLine(&rest), limits, head);
  if (!IsRefused(result)) result = ScanFields(rest, limits, head);
  if (!IsRefused(result)) result = ValidateRequest(head);
  return IsRefused(result) ? result : end;
}

ScanResult ScanResponse(std::string_view bytes, const HeadLimits& limits,
                        ResponseHead* head) {
  const ScanResult end = FindEnd(bytes, limits);
  if (end.state != ScanState::kDone) {
    return IsRefused(end) ? Refused(502, end.error) : end;
  }
  Reset(head);
  head->status = 0;
  head->http10 = false;
  head->reason = {};
  std::string_view rest = bytes.substr(0, end.head_bytes);
  ScanResult result = ScanStatusLine(TakeLine(&rest), head);
  if (!IsRefused(result)) result = ScanFields(rest, limits, head);
  if (IsRefused(result)) return Refused(502, result.error);
  if (head->http10 && head->chunked) {
    return Refused(502, "Transfer-Encoding in HTTP/1.0");
  }
  return end;
}

bool FrameResponse(const ResponseHead& head, bool to_head_request,
                   BodyFraming* body) {
  *body = {};
  if (head.status < 200 || head.status == 204) {
    return !head.chunked && (!head.has_length || head.length == 0);
  }
  if (to_head_request || head.status == 304) return true;
  if (head.chunked) {
    *body = {BodyKind::kChunked, 0};
  } else if (!head.has_length) {
    *body = {BodyKind::kUntilClose, 0};
  } else if (head.length > 0) {
    *body = {BodyKind::kLength, head.length};
  }
  return true;
}

}  // namespace carme
