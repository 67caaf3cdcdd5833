#include "proxy/http/http2_head.h"

#include "common/http1/field.h"
#include "proxy/http/cookies.h"

namespace carme::proxy {
namespace {

constexpr size_t kFieldOverhead = 32;

// Whether the text cannot end a word of a request line or a Host field.
bool IsPlainText(std::string_view text) {
  for (char c : text) {
    if (c <= ' ' || c >= 0x7f) return false;
  }
  return !text.empty();
}

}  // namespace

void Http2RequestHead::Refuse(int status, const char* error) {
  if (status_ != 0) return;
  status_ = status;
  why_ = error;
}

void Http2RequestHead::Add(std::string_view name, std::string_view value) {
  const size_t bytes = name.size() + value.size() + kFieldOverhead;
  bytes_ += bytes;
  std::string kept;
  if (name == "cookie") {
    cookie_bytes_ += bytes;
    if (hosts_ != nullptr && hosts_->IsPortal(authority_)) {
      KeepPortalCookies(value, &kept);
      dropped_bytes_ += bytes - kept.size();
      value = kept;
    }
  }
  if (bytes_ - dropped_bytes_ > max_bytes_) {
    return Refuse(431, "head too large");
  }
  if (name.substr(0, 1) == ":") return AddPseudo(name, value);
  has_fields_ = true;
  if (name == "cookie" && value.empty()) return;
  AddField(name, value);
}

void Http2RequestHead::AddPseudo(std::string_view name,
                                 std::string_view value) {
  std::string* const target = name == ":method"      ? &method_
                              : name == ":scheme"    ? &scheme_
                              : name == ":authority" ? &authority_
                              : name == ":path"      ? &path_
                              : name == ":protocol"  ? &protocol_
                                                     : nullptr;
  if (target == nullptr) return Refuse(400, "unknown pseudo-header");
  if (has_fields_) return Refuse(400, "pseudo-header behind a field");
  if (!target->empty()) return Refuse(400, "pseudo-header twice");
  if (!IsPlainText(value)) return Refuse(400, "bad pseudo-header");
  *target = value;
}

void Http2RequestHead::AddField(std::string_view name, std::string_view value) {
  if (!IsToken(name)) return Refuse(400, "bad field name");
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') return Refuse(400, "upper case in a field name");
  }
  if (HasControl(value)) return Refuse(400, "control character");
  switch (FieldIdFor(name)) {
    case FieldId::kConnection:
    case FieldId::kTransferEncoding:
    case FieldId::kUpgrade:
      return Refuse(400, "field of a connection");
    case FieldId::kHost:
      if (!host_.empty()) return Refuse(400, "expected one Host");
      if (!IsPlainText(value)) return Refuse(400, "bad Host");
      host_ = value;
      return;
    // the proxy sends its own (RFC 8441 section 5)
    case FieldId::kSecWebSocketKey:
      return;
    case FieldId::kCookie:  // RFC 9113 section 8.2.3
      if (!cookies_.empty()) cookies_ += "; ";
      cookies_ += value;
      return;
    case FieldId::kContentLength:
      has_length_ = true;
      [[fallthrough]];
    default:
      fields_.append(name).append(": ").append(value).append("\r\n");
  }
}

void Http2RequestHead::Clear() {
  for (std::string* text : {&method_, &scheme_, &authority_, &path_, &protocol_,
                            &host_, &cookies_, &fields_}) {
    std::string().swap(*text);
  }
}

bool Http2RequestHead::Write(bool body_follows, std::string_view websocket_key,
                             std::string* text) {
  if (scheme_ != "https" && method_ != "CONNECT") {
    Refuse(400, "scheme is not https");
  }
  if (authority_.empty()) authority_ = host_;
  if (!host_.empty() && host_ != authority_) {
    Refuse(400, "Host is not the authority");
  }
  if (authority_.empty()) Refuse(400, "expected an authority");
  if (method_ == "CONNECT" && protocol_.empty()) {
    Refuse(501, "method not served");
  }
  if (!protocol_.empty()) {
    if (method_ != "CONNECT") Refuse(400, "protocol without CONNECT");
    if (!opens_websocket()) Refuse(501, "protocol is not websocket");
    if (scheme_ != "https") Refuse(400, "scheme is not https");
    if (has_length_) Refuse(400, "upgrade with a body");
  }
  if (method_.empty() || path_.empty()) Refuse(400, "pseudo-header missing");
  if (status_ != 0) return false;

  text->append(opens_websocket() ? "GET" : method_).append(" ");
  text->append(path_).append(" HTTP/1.1\r\nHost: ").append(authority_);
  text->append("\r\n").append(fields_);
  if (!cookies_.empty()) {
    text->append("cookie: ").append(cookies_).append("\r\n");
  }
  if (opens_websocket()) {
    text->append("connection: upgrade\r\nupgrade: websocket\r\n");
    text->append("sec-websocket-key: ").append(websocket_key).append("\r\n");
  } else if (body_follows && !has_length_) {
    text->append("transfer-encoding: chunked\r\n");
  }
  text->append("\r\n");
  return true;
}

}  // namespace carme::proxy
