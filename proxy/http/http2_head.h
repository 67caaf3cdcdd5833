// Converts the head of an HTTP/2 request to an HTTP/1.1 head.
//
// One parser (common/http1/head.h) then validates both versions: a request that
// is rejected in one version is rejected in the other, and the upstream gets
// only what that parser has read. Text that could end a line or a word is
// rejected here, independently of nghttp2's checks.
//
// Pure: no I/O.
#ifndef CARME_PROXY_HTTP_HTTP2_HEAD_H_
#define CARME_PROXY_HTTP_HTTP2_HEAD_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

class Http2RequestHead {
 public:
  // `hosts` must outlive it. On the portal's host, other cookies than the
  // portal's are dropped and not counted, because a page of a job can set any
  // number of cookies for it.
  explicit Http2RequestHead(size_t max_bytes,
                            const VirtualHosts* hosts = nullptr)
      : max_bytes_(max_bytes), hosts_(hosts) {}

  // A field in the order of the header block.
  void Add(std::string_view name, std::string_view value);
  // The request will be rejected with this. The first call wins.
  void Refuse(int status, const char* error);
  // Size as in RFC 9113 section 6.5.2, including dropped fields.
  size_t bytes() const { return bytes_; }
  // The cookies among bytes().
  size_t cookie_bytes() const { return cookie_bytes_; }
  bool is_mostly_cookies() const { return cookie_bytes_ > bytes_ / 2; }
  std::string_view authority() const { return authority_; }
  std::string_view path() const { return path_; }
  // An extended CONNECT (RFC 8441).
  bool opens_websocket() const { return protocol_ == "websocket"; }

  // Appends the HTTP/1.1 head. `body_follows`: END_STREAM was not set.
  // `websocket_key`: for the proxy's own handshake with the app. False: reject
  // the request with status() and error().
  bool Write(bool body_follows, std::string_view websocket_key,
             std::string* text);
  // Releases the memory, because a request may run for days.
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
  int status_ = 0;            // 0: no error so far
  const char* why_ = "";
  std::string method_, scheme_, authority_, path_, protocol_;
  std::string host_;
  std::string cookies_;  // joined from all cookie fields
  std::string fields_;   // lines
  bool has_fields_ = false;
  bool has_length_ = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HTTP2_HEAD_H_
