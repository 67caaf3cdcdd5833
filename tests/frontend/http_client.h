// A plain HTTP/1.1 client for tests, which sends the given bytes unchanged.
#ifndef CARME_TESTS_FRONTEND_HTTP_CLIENT_H_
#define CARME_TESTS_FRONTEND_HTTP_CLIENT_H_

#include <map>
#include <optional>
#include <string>

#include "common/unique_fd.h"

namespace carme::testing {}

namespace carme::frontend::testing {

using namespace carme::testing;  // the fixtures that all programs share

struct HttpAnswer {
  int status = 0;  // 0: the connection ended without a response
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  // Empty when absent.
  std::string Header(const std::string& name) const;
};

// One connection to a port on loopback; waits at most 10 s for anything.
class HttpClient {
 public:
  explicit HttpClient(int port);

  void Send(const std::string& bytes);
  // The next response. `has_body` is false for a response to HEAD.
  HttpAnswer Read(bool has_body = true);
  HttpAnswer Ask(const std::string& bytes);

  // For a stream: the head, then one chunk after another; nothing at the end.
  HttpAnswer ReadHead();
  std::optional<std::string> ReadChunk();

  // Whether the server closes without sending more. It resets the connection
  // when it has not read all bytes.
  bool ReadsEnd();
  void Close() { socket_.reset(); }

 private:
  bool Fill();
  std::string TakeLine();
  std::string Take(size_t bytes);

  UniqueFd socket_;
  std::string buffer_;
};

// The line by which carme-proxy shows that it escapes header values.
inline constexpr char kProbeHeader[] = "X-Carme-Escape-Probe: %25\r\n";

// "METHOD path HTTP/1.1" with Host and the further header lines, as carme-proxy
// forwards it: with the probe and with escaped values.
std::string Request(const std::string& method, const std::string& path,
                    const std::string& headers = "",
                    const std::string& body = "");

}  // namespace carme::frontend::testing

#endif  // CARME_TESTS_FRONTEND_HTTP_CLIENT_H_
