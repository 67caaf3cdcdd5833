// The head of an HTTP/2 request, written as that of an HTTP/1.1 one.
//
// One scanner (http_head.h) then judges both, so that no request passes in one
// version that is refused in the other, and the next hop, which speaks
// HTTP/1.1, is never told what that scanner has not read. Nothing is appended
// that could end a line or a word: injection is refused here, whatever the
// library below has checked before.
//
// Pure: bytes in, text out.
#ifndef CARME_PROXY_HTTP_HTTP2_HEAD_H_
#define CARME_PROXY_HTTP_HTTP2_HEAD_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

class Http2RequestHead {
 public:
  // `site` outlives it. On the portal's host, cookies that are not the portal's
  // are dropped as they come and do not count: a page of a job can make a
  // browser send any number of them.
  explicit Http2RequestHead(size_t max_bytes,
                            const VirtualHosts* hosts = nullptr)
      : max_bytes_(max_bytes), hosts_(hosts) {}

  // A field as HPACK gives it, in order.
  void Add(std::string_view name, std::string_view value);
  // Whatever comes, the client is answered that. The first reason counts.
  void Refuse(int status, const char* error);
  // As RFC 9113 section 6.5.2 counts; goes on when fields are dropped.
  size_t bytes() const { return bytes_; }
  // Of these, cookies.
  size_t cookie_bytes() const { return cookie_bytes_; }
  bool is_mostly_cookies() const { return cookie_bytes_ > bytes_ / 2; }
  std::string_view authority() const { return authority_; }
  std::string_view path() const { return path_; }
  // An extended CONNECT (RFC 8441).
  bool opens_websocket() const { return protocol_ == "websocket"; }

  // Appends the text. `body_follows`: END_STREAM is still to come.
  // `websocket_key`: of our own handshake to the app. False: the client is to
  // be answered status() and why().
  bool Write(bool body_follows, std::string_view websocket_key,
             std::string* text);
  // Gives the memory back: a request may run for days.
  void Clear();
  int status() const { return status_; }
  const char* error() const { return why_; }

 private:
  void AddPseudo(std::string_view name, std::string_view value);
  void AddField(std::string_view name, std::string_view value);

  const size_t max_bytes_;
  const VirtualHosts* const hosts_;
  size_t bytes_ = 0;
  size_t cookie_bytes_ = 0;
  size_t dropped_bytes_ = 0;  // of cookies
  int status_ = 0;            // 0: nothing is wrong so far
  const char* why_ = "";
  std::string method_, scheme_, authority_, path_, protocol_;
  std::string host_;
  std::string cookies_;  // the crumbs, joined
  std::string fields_;   // lines
  bool has_fields_ = false;
  bool has_length_ = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HTTP2_HEAD_H_
