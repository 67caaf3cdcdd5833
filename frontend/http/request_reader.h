// Reads requests from one connection, each of them whole and within bounds of
// size and time, so that nobody can hold a thread by sending slowly.
//
// Bytes beyond a request stay here for the next one: pipelining works, in
// order. Not thread-safe.
#ifndef CARME_FRONTEND_HTTP_REQUEST_READER_H_
#define CARME_FRONTEND_HTTP_REQUEST_READER_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "frontend/http/http_message.h"
#include "frontend/http/request_head.h"

namespace carme::frontend {

struct ReadLimits {
  // How long a connection may be silent between requests. Longer than a proxy
  // keeps one in its pool, so that it is never us who closes under a request.
  absl::Duration idle = absl::Seconds(90);
  absl::Duration first = absl::Seconds(10);  // silent before its first request
  absl::Duration head = absl::Seconds(10);   // from first to last byte
  absl::Duration body = absl::Seconds(20);
  size_t body_bytes = 64 << 10;
};

enum class ReadResult {
  kRequest,  // `request` is whole
  kRefused,  // `error` is what to answer; then the connection must end
  kOver,     // hung up, silent too long, or the server stops: no answer
};

class RequestReader {
 public:
  // `socket` is non-blocking; `stop` becomes readable when the server stops,
  // which ends the wait between requests only. Both outlive the reader.
  RequestReader(int socket, int stop, const ReadLimits& limits)
      : socket_(socket), stop_(stop), limits_(limits) {}

  // Blocks.
  ReadResult Next();

  RequestHead& head() { return head_; }
  const HttpError& error() const { return error_; }

 private:
  enum class Wait { kBytes, kClosed, kTimeout, kStopped };
  Wait WaitForBytes(absl::Time deadline, bool stoppable);
  // Appends what there is to `buffer_`.
  Wait Fill(absl::Time deadline, bool stoppable);
  ReadResult ReadHead();
  ReadResult ReadBody();
  ReadResult Refuse(int status, std::string message);

  const int socket_;
  const int stop_;
  const ReadLimits limits_;
  bool served_one_ = false;
  std::string buffer_;
  RequestHead head_;
  HttpError error_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_REQUEST_READER_H_
