#include "slurm-hooks/agent/readiness.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/socket.h"
#include "slurm-hooks/agent/pause.h"
#include "slurm-hooks/agent/status_line.h"

namespace carme::agent {
namespace {

// To ask a socket that is not there costs microseconds, and a user is waiting.
constexpr absl::Duration kShortPause = absl::Milliseconds(20);
constexpr int kShortPauses = 500;  // ten seconds
constexpr absl::Duration kLongPause = absl::Milliseconds(250);
constexpr absl::Duration kConnectTimeout = absl::Seconds(2);
// An app that has taken the connection may answer late while it still starts.
constexpr absl::Duration kAnswerTimeout = absl::Seconds(30);

net::Task<std::optional<int>> Ask(net::EventLoop& loop,
                                  const ReadinessProbe& probe) {
  const auto address = net::Address::FromPath(probe.socket);
  if (!address.ok()) co_return std::nullopt;
  auto connected = co_await net::Connect(loop, *address, kConnectTimeout);
  if (!connected.ok()) co_return std::nullopt;
  auto stream = net::NewSocketStream(loop, *std::move(connected));
  if (!stream.ok()) co_return std::nullopt;
  (*stream)->ExpireAfter(kAnswerTimeout);
  const net::IoResult put = co_await (*stream)->Write(
      absl::StrCat("GET ", probe.path, " HTTP/1.1\r\nHost: ", probe.host,
                   "\r\nConnection: close\r\n\r\n"));
  if (put.error != 0) co_return std::nullopt;
  std::string answer;
  while (answer.size() < kStatusLineBytes) {
    char buffer[kStatusLineBytes];
    const net::IoResult got = co_await (*stream)->Read(buffer, sizeof buffer);
    if (got.error != 0 || got.bytes == 0) co_return std::nullopt;
    answer.append(buffer, got.bytes);
  }
  co_return ReadStatusCode(answer);
}

}  // namespace

net::Task<bool> AwaitReady(net::EventLoop& loop, ReadinessProbe probe,
                           std::function<bool()> runs) {
  for (int asked = 0;; ++asked) {
    const int error =
        co_await Pause(loop, asked < kShortPauses ? kShortPause : kLongPause);
    if (error != 0 || !runs()) co_return false;
    const std::optional<int> code = co_await Ask(loop, probe);
    if (code.has_value() && *code < 500) co_return true;
  }
}

}  // namespace carme::agent
