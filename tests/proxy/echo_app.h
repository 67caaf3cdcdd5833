// An app of a job, as the tests want it: an HTTP/1.1 origin with a thread for
// each connection and every habit, good or bad, under a path of its own.
#ifndef CARME_TESTS_PROXY_ECHO_APP_H_
#define CARME_TESTS_PROXY_ECHO_APP_H_

#include <atomic>
#include <climits>
#include <string>
#include <thread>

#include "common/unique_fd.h"

namespace carme::testing {

// /echo        200, the request as it arrived
// /chunked     200, two chunks, an extension and a trailer
// /until-close 200 without a length, then the end
// /http10      the same in HTTP/1.0
// /big         200, 4 MiB
// /asset       200, 200 KiB
// /drip        200, a chunk each 50 ms, for ever
// /trickle     200 without a length, a word each 50 ms, for ever
// /cut         200, ten of a hundred bytes, then the end
// /stall       200, ten of a hundred bytes; no more until Release()
// /garbage     no HTTP
// /two         one answer, and bytes of another behind it
// /early       413 before the body is read, then the end
// /slow        200 after 300 ms
// /held        200 once Release() was called
// /vanish      200, then the end without having said so
// /interim     103, then 200
// /plant       200 with cookies for Carme's names and for other hosts
// /deaf        reads the request's body only once Release() was called; 200
// /hush        never answers; waits for the client to hang up
// /ws          101, then each byte back; "bye" after the end of the input
// /ws-wrong    101 for another handshake
class EchoApp {
 public:
  EchoApp();
  ~EchoApp();
  int port() const { return port_; }
  int connections() const { return connections_; }
  int requests() const { return requests_; }
  // Bytes of request bodies.
  size_t body_bytes() const { return body_bytes_; }
  // From now on further connections are answered 503 and closed, as by a server
  // with so many threads.
  void LimitConnections(int max_connections) {
    max_connections_ = max_connections;
  }
  // Connections that are open now.
  int open_connections() const { return running_; }
  // Requests that wait for Release().
  int holding() const { return holding_; }
  void Release() { released_ = true; }
  // Clients of /hush that wait, and that hung up.
  int hushing() const { return hushing_; }
  int hangups() const { return hangups_; }

 private:
  void AcceptLoop();
  void ServeConnection(int fd);
  void Hush(int fd);
  bool Answer(int fd, const std::string& head, const std::string& body);

  UniqueFd listener_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<int> max_connections_ = INT_MAX;
  std::atomic<int> holding_ = 0;
  std::atomic<int> hushing_ = 0;
  std::atomic<int> hangups_ = 0;
  std::atomic<bool> released_ = false;
  std::atomic<size_t> body_bytes_ = 0;
  std::thread thread_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_ECHO_APP_H_
