#include "slurm-hooks/agent/usage/kernel_probe.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/http1/body.h"
#include "common/http1/head.h"
#include "common/net/socket.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr size_t kMaxAnswer = 1 << 20;

// `bytes`: all that followed the head. nullopt if the body is incomplete.
std::optional<std::string> DecodeBody(const ResponseHead& head,
                                      std::string bytes) {
  BodyFraming framing;
  if (!FrameResponse(head, false, &framing)) return std::nullopt;
  BodyProgress progress(framing);
  const ChunkDecoder::Step step = progress.Take(bytes.data(), bytes.size());
  if (step.bad || !(step.done || progress.TakeEnd())) return std::nullopt;
  bytes.resize(step.payload);
  return bytes;
}

}  // namespace

std::optional<bool> ParseKernelBusy(std::string_view answer) {
  ResponseHead head;
  const ScanResult scan = ScanResponse(answer, HeadLimits(), &head);
  if (scan.state != ScanState::kDone) return std::nullopt;
  // A server without kernels computes nothing.
  if (head.status == 404) return false;
  if (head.status != 200) return std::nullopt;
  const std::optional<std::string> body =
      DecodeBody(head, std::string(answer.substr(scan.head_bytes)));
  if (!body) return std::nullopt;
  constexpr std::string_view kState = "\"execution_state\":";
  for (size_t at = body->find(kState); at != std::string::npos;
       at = body->find(kState, at + 1)) {
    std::string_view value = std::string_view(*body).substr(at + kState.size());
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (value.starts_with("\"busy\"")) return true;
  }
  return false;
}

net::Task<std::optional<bool>> QueryKernelBusy(net::EventLoop& loop,
                                               std::string socket,
                                               std::string host,
                                               std::string path) {
  const auto address = net::Address::FromPath(socket);
  if (!address.ok()) co_return std::nullopt;
  auto connected = co_await net::Connect(loop, *address, kTimeout);
  if (!connected.ok()) co_return std::nullopt;
  auto stream = net::NewSocketStream(loop, *std::move(connected));
  if (!stream.ok()) co_return std::nullopt;
  (*stream)->ExpireAfter(kTimeout);
  const std::string question =
      absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: ", host,
                   "\r\nAccept: application/json\r\nConnection: close\r\n\r\n");
  const net::IoResult put = co_await (*stream)->Write(question);
  if (put.error != 0) co_return std::nullopt;
  std::string answer;
  while (answer.size() < kMaxAnswer) {
    char buffer[4096];
    const net::IoResult got = co_await (*stream)->Read(buffer, sizeof buffer);
    if (got.error != 0) co_return std::nullopt;
    if (got.bytes == 0) co_return ParseKernelBusy(answer);
    answer.append(buffer, got.bytes);
  }
  co_return std::nullopt;
}

}  // namespace carme::agent
