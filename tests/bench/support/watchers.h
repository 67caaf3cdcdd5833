// Many sessions that watch their jobs, as browsers do: streams of WatchJobs
// over a frontend's connections.
#ifndef CARME_TESTS_BENCH_SUPPORT_WATCHERS_H_
#define CARME_TESTS_BENCH_SUPPORT_WATCHERS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme {

namespace v1 {
class WatchJobsResponse;
}

class Watchers {
 public:
  // Called for each message of a stream, which are counted from 0 in the order
  // they were added; on any thread, of several streams at once.
  using Listener = std::function<void(
      size_t stream, const v1::WatchJobsResponse& message, absl::Time arrived)>;
  // `pki` as NewFrontendChannel has it.
  Watchers(const std::string& address, const std::string& pki,
           Listener listener);
  // Ends every stream.
  ~Watchers();
  // One stream more, of the session with this token.
  void Add(const std::string& token);
  // Until each stream has had its first message. Ends the process where one
  // does not come within a minute, or a stream has ended.
  void AwaitSnapshots();

 private:
  struct State;
  class Stream;
  std::unique_ptr<State> state_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_WATCHERS_H_
