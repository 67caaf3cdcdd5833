#include "backend/privileged/protocol/frame_io.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "common/unique_fd.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

struct Pair {
  Pair() {
    int fds[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
  void Send(const std::string& bytes) {
    REQUIRE(send(theirs.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  absl::StatusOr<std::string> Read(
      absl::Duration timeout = testing::kWaitTimeout) {
    return ReadFrame(ours.get(), absl::Now() + timeout);
  }
  UniqueFd ours, theirs;
};

TEST_CASE("frame: refuses lengths out of bounds", "[backend]") {
  CHECK_FALSE(FrameLength("").ok());
  CHECK_FALSE(FrameLength("\0\0\1").ok());
  CHECK_FALSE(FrameLength(std::string(4, '\0')).ok());
  CHECK_FALSE(FrameLength(std::string("\0\1\0\1", 4)).ok());
  CHECK_FALSE(FrameLength("\xff\xff\xff\xff").ok());
  CHECK(FrameLength(std::string("\0\1\0\0", 4)).value() == kMaxFrameBytes);
  Pair pair;
  pair.Send("GET / HTTP/1.1\r\n");
  CHECK(absl::IsInvalidArgument(pair.Read().status()));
}

TEST_CASE("frame: refuses truncated and slow frames", "[backend]") {
  Pair cut;
  cut.Send(std::string("\0\0\0\5ab", 6));
  cut.theirs.reset();
  CHECK(absl::IsInvalidArgument(cut.Read().status()));
  Pair slow;
  slow.Send(std::string("\0\0", 2));
  CHECK(absl::IsDeadlineExceeded(slow.Read(absl::Milliseconds(100)).status()));
  Pair silent;
  silent.theirs.reset();
  CHECK(absl::IsCancelled(silent.Read().status()));
}

TEST_CASE("frame: arrives in pieces, and nothing after it is read",
          "[backend]") {
  Pair pair;
  const std::string frame = EncodeFrame("hello");
  pair.Send(frame.substr(0, 2));
  pair.Send(frame.substr(2) + "rest");
  CHECK(pair.Read().value() == "hello");
}

TEST_CASE("frame: a peer that does not read does not block the writer",
          "[backend]") {
  Pair pair;
  absl::Status written;
  for (int i = 0; i < 10000 && written.ok(); ++i) {
    written = WriteFrame(pair.ours.get(), std::string(60000, 'x'));
  }
  CHECK(absl::IsUnavailable(written));
  CHECK_FALSE(HasHungUp(pair.ours.get()));
  pair.theirs.reset();
  CHECK(HasHungUp(pair.ours.get()));
}

}  // namespace
}  // namespace carme::impersonator
