#include "tests/frontend/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/http1/value_escaping.h"
#include "tests/support/wait_for.h"

namespace carme::frontend::testing {

std::string HttpAnswer::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

HttpClient::HttpClient(int port)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval timeout = absl::ToTimeval(kWaitTimeout);
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0) {
    socket_.reset();
  }
}

void HttpClient::Send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t put = send(socket_.get(), bytes.data() + sent,
                             bytes.size() - sent, MSG_NOSIGNAL);
    if (put <= 0) return;
    sent += static_cast<size_t>(put);
  }
}

HttpAnswer HttpClient::Ask(const std::string& bytes) {
  Send(bytes);
  return Read();
}

bool HttpClient::Fill() {
  std::array<char, 8192> bytes;
  const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  buffer_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

std::string HttpClient::TakeLine() {
  size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!Fill()) return "";
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string HttpClient::Take(size_t bytes) {
  while (buffer_.size() < bytes) {
    if (!Fill()) break;
  }
  std::string taken = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return taken;
}

HttpAnswer HttpClient::ReadHead() {
  HttpAnswer answer;
  const std::string first = TakeLine();
  if (!first.starts_with("HTTP/1.1 ")) return answer;
  answer.status = std::atoi(first.substr(9).c_str());
  while (true) {
    const std::string line = TakeLine();
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) return answer;
    answer.headers[absl::AsciiStrToLower(line.substr(0, colon))] =
        line.substr(colon + 2);
  }
}

HttpAnswer HttpClient::Read(bool has_body) {
  HttpAnswer answer = ReadHead();
  if (!has_body) return answer;
  if (answer.Header("transfer-encoding") == "chunked") {
    while (const auto chunk = ReadChunk()) answer.body += *chunk;
    return answer;
  }
  answer.body = Take(
      static_cast<size_t>(std::atoi(answer.Header("content-length").c_str())));
  return answer;
}

std::optional<std::string> HttpClient::ReadChunk() {
  const size_t length = std::strtoul(TakeLine().c_str(), nullptr, 16);
  std::string chunk = Take(length);
  TakeLine();
  if (length == 0 || chunk.size() != length) return std::nullopt;
  return chunk;
}

bool HttpClient::ReadsEnd() {
  std::array<char, 1> byte;
  if (!buffer_.empty()) return false;
  const ssize_t got = recv(socket_.get(), byte.data(), 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

std::string Request(const std::string& method, const std::string& path,
                    const std::string& headers, const std::string& body) {
  const std::string length =
      method == "POST" ? absl::StrCat("Content-Length: ", body.size(), "\r\n")
                       : "";
  std::string escaped;
  AppendEscaped(headers, &escaped);
  return absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: carme.test\r\n",
                      kProbeHeader, length, escaped, "\r\n", body);
}

}  // namespace carme::frontend::testing
