// Reads complete requests from one connection, within limits of size and time,
// so that slow clients cannot hold a thread.
//
// Bytes after a request are retained for the next one (pipelining). Not
// thread-safe.
#ifndef CARME_FRONTEND_HTTP_REQUEST_READER_H_
#define CARME_FRONTEND_HTTP_REQUEST_READER_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "frontend/http/http_message.h"
#include "frontend/http/request_head.h"

namespace carme::frontend {

struct ReadLimits {
  // Between requests. Longer than the proxy keeps idle connections, so that the
  // frontend never closes a connection on which a request is being sent.
  absl::Duration idle = absl::Seconds(90);
  absl::Duration first = absl::Seconds(10);  // before the first request
  absl::Duration head = absl::Seconds(10);   // from first to last byte
  absl::Duration body = absl::Seconds(20);
  size_t body_bytes = 64 << 10;
};

enum class ReadResult {
  kRequest,  // head() is a complete request
  kRefused,  // respond with error() and close the connection
  kClosed,   // disconnected, idle for too long, or stopping: no response
};

class RequestReader {
 public:
  // `socket` is non-blocking; `stop` becomes readable when the server stops,
  // which ends the wait between requests only. Both outlive the reader.
  RequestReader(int socket, int stop, const ReadLimits& limits)
      : socket_(socket), stop_(stop), limits_(limits) {}

  // Blocks.
  ReadResult Next();

  HttpRequestHead& head() { return head_; }
  const HttpError& error() const { return error_; }

 private:
  enum class Wait { kBytes, kClosed, kTimeout, kStopped };
  Wait WaitForBytes(absl::Time deadline, bool stoppable);
  // Waits, and appends the received bytes to `buffer_`.
  Wait Fill(absl::Time deadline, bool stoppable);
  ReadResult ReadHead();
  ReadResult ReadBody();
  ReadResult Refuse(int status, std::string message);

  const int socket_;
  const int stop_;
  const ReadLimits limits_;
  bool served_one_ = false;
  std::string buffer_;
  HttpRequestHead head_;
  HttpError error_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_REQUEST_READER_H_
