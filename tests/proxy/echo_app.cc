#include "tests/proxy/echo_app.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "common/listen.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

bool Send(int fd, const std::string& text) {
  size_t sent = 0;
  while (sent < text.size()) {
    ssize_t n = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

// Appends what comes; false at the end.
bool Receive(int fd, std::string* buffer) {
  char bytes[16384];
  ssize_t n = recv(fd, bytes, sizeof bytes, 0);
  if (n <= 0) return false;
  buffer->append(bytes, static_cast<size_t>(n));
  return true;
}

// Takes the body off the front of `buffer`, in its wire form.
bool TakeBody(int fd, const std::string& head, std::string* buffer,
              std::string* body) {
  size_t end = std::string::npos;
  size_t at = head.find("Content-Length: ");
  if (at != std::string::npos) end = std::strtoul(&head[at + 16], nullptr, 10);
  const bool chunked = head.find("chunked\r\n") != std::string::npos;
  if (!chunked && end == std::string::npos) return true;
  for (;;) {
    if (chunked) {
      size_t last = buffer->rfind("0\r\n", 0) == 0 ? 0 : std::string::npos;
      if (last != 0) last = buffer->find("\r\n0\r\n");
      if (last != std::string::npos) last = buffer->find("0\r\n", last) + 1;
      // The empty line ends the trailers.
      if (last != std::string::npos) last = buffer->find("\r\n\r\n", last);
      if (last != std::string::npos) end = last + 4;
    }
    if (end != std::string::npos && buffer->size() >= end) {
      *body = buffer->substr(0, end);
      buffer->erase(0, end);
      return true;
    }
    if (!Receive(fd, buffer)) return false;
  }
}

std::string Ok(const std::string& body, const std::string& fields = "") {
  return "HTTP/1.1 200 OK\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Of a handshake's key (RFC 6455 section 4.2.2).
std::string AcceptOf(const std::string& head) {
  size_t at = head.find("sec-websocket-key: ");
  if (at == std::string::npos) at = head.find("Sec-WebSocket-Key: ");
  if (at == std::string::npos) return "";
  const std::string text =
      head.substr(at + 19, 24) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH], encoded[32];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       digest);
  EVP_EncodeBlock(encoded, digest, sizeof digest);
  return reinterpret_cast<char*>(encoded);
}

void EchoWebsocket(int fd, const std::string& accept, std::string buffer) {
  Send(fd,
       "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
       "Upgrade: websocket\r\nSec-WebSocket-Accept: " +
           accept + "\r\n\r\nhello");
  do {
    Send(fd, buffer);
    buffer.clear();
  } while (Receive(fd, &buffer));
  Send(fd, "bye");
}

}  // namespace

EchoApp::EchoApp() {
  auto listener = ListenTcp("127.0.0.1:0");
  if (!listener.ok()) std::abort();
  listener_ = *std::move(listener);
  port_ = *PortOf(listener_.get());
  thread_ = std::thread([this] { AcceptLoop(); });
}

EchoApp::~EchoApp() {
  stopping_ = true;
  thread_.join();
  while (running_ > 0) usleep(1000);
}

void EchoApp::AcceptLoop() {
  while (!stopping_) {
    pollfd ready = {listener_.get(), POLLIN, 0};
    if (poll(&ready, 1, 20) != 1) continue;
    int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    // Nothing waits for ever, so that the destructor does not either.
    const timeval patience = absl::ToTimeval(kPatience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ++connections_;
    if (running_ >= max_connections_) {
      Send(fd,
           "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
           "Content-Length: 0\r\n\r\n");
      close(fd);
      continue;
    }
    ++running_;
    std::thread([this, fd] {
      ServeConnection(fd);
      close(fd);
      --running_;
    }).detach();
  }
}

void EchoApp::ServeConnection(int fd) {
  std::string buffer;
  for (;;) {
    size_t end;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      pollfd ready = {fd, POLLIN, 0};
      while (poll(&ready, 1, 20) == 0) {
        if (stopping_) return;
      }
      if (!Receive(fd, &buffer)) return;
    }
    const std::string head = buffer.substr(0, end + 4);
    buffer.erase(0, end + 4);
    ++requests_;
    if (head.find(" /early ") != std::string::npos) {
      Send(fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno\n");
      return;
    }
    if (head.find(" /ws ") != std::string::npos) {
      return EchoWebsocket(fd, AcceptOf(head), buffer);
    }
    if (head.find(" /ws-wrong ") != std::string::npos) {
      return EchoWebsocket(fd, "x", buffer);
    }
    if (head.find(" /hush ") != std::string::npos) return Hush(fd);
    if (head.find(" /deaf ") != std::string::npos) {
      while (!released_ && !stopping_) usleep(1000);
    }
    std::string body;
    if (!TakeBody(fd, head, &buffer, &body)) return;
    body_bytes_ += body.size();
    if (!Answer(fd, head, body)) return;
  }
}

void EchoApp::Hush(int fd) {
  ++hushing_;
  pollfd end = {fd, POLLIN, 0};
  while (!stopping_) {
    if (poll(&end, 1, 20) != 1) continue;
    std::string rest;
    if (Receive(fd, &rest)) continue;
    ++hangups_;
    break;
  }
  --hushing_;
}

bool EchoApp::Answer(int fd, const std::string& head, const std::string& body) {
  const size_t start = head.find(' ') + 1;
  const std::string path = head.substr(start, head.find(' ', start) - start);
  if (path == "/chunked") {
    return Send(fd,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\n"
                "Checksum: kept\r\nX-Carme-User: no\r\n\r\n");
  }
  if (path == "/until-close" || path == "/http10") {
    Send(fd, path == "/http10" ? "HTTP/1.0 200 OK\r\n\r\nuntil the end"
                               : "HTTP/1.1 200 OK\r\n\r\nuntil the end");
    return false;
  }
  if (path == "/big") return Send(fd, Ok(std::string(4 << 20, 'b')));
  if (path == "/asset") return Send(fd, Ok(std::string(200 << 10, 'a')));
  if (path == "/drip") {
    if (!Send(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")) {
      return false;
    }
    while (!stopping_ && Send(fd, "5\r\ndrip\n\r\n")) usleep(50'000);
    return false;
  }
  if (path == "/trickle") {
    if (!Send(fd, "HTTP/1.1 200 OK\r\n\r\n")) return false;
    while (!stopping_ && Send(fd, "drip\n")) usleep(50'000);
    return false;
  }
  if (path == "/cut") {
    Send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
    return false;
  }
  if (path == "/stall") {
    Send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
    while (!released_ && !stopping_) usleep(1000);
    return false;
  }
  if (path == "/garbage") {
    Send(fd, "SSH-2.0-OpenSSH_9.2\r\n\r\n");
    return false;
  }
  if (path == "/two") {
    return Send(fd, Ok("one") +
                        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
                        "poison");
  }
  if (path == "/deaf") return Send(fd, Ok("heard"));
  if (path == "/slow") usleep(300'000);
  if (path == "/held") {
    ++holding_;
    while (!released_ && !stopping_) usleep(1000);
    --holding_;
  }
  if (path == "/vanish") {
    Send(fd, Ok("gone"));
    return false;
  }
  if (path == "/interim") {
    Send(fd, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
  }
  if (path == "/places") {
    return Send(fd,
                "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
                "Location: /lab?x\r\n"
                "Set-Cookie: own=1; Path=/\r\n"
                "Set-Cookie: __Secure-carme-job=planted; Path=/\r\n"
                "Service-Worker-Allowed: /\r\nNEL: {}\r\n\r\n");
  }
  if (path == "/plant") {
    return Send(fd, Ok("planted",
                       "Set-Cookie: own=1\r\n"
                       "Set-Cookie: __Host-carme-job=x; Path=/; Secure\r\n"
                       "Set-Cookie: wide=x; Domain=jobs.test\r\n"));
  }
  if (head.compare(0, 5, "HEAD ") == 0) {
    return Send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
  }
  return Send(fd, Ok(head + body));
}

}  // namespace carme::testing
