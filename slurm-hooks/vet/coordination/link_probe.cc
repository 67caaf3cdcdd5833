#include "slurm-hooks/vet/coordination/link_probe.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/crypto/hash.h"
#include "common/listen.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/vet/coordination/channel.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/coordination/tcp.h"

namespace carme::vet {
namespace {

constexpr size_t kProofNonceBytes = 32;
constexpr size_t kProofBytes = 32;
constexpr size_t kPingBytes = 64;
constexpr int kPings = 21;
constexpr size_t kBlockBytes = 1 << 20;
constexpr char kMore = 'M';
constexpr char kEnd = 'E';
constexpr size_t kRateBytes = 32;
// Time for the other node to connect: it starts at once.
constexpr absl::Duration kLinkConnectTimeout = absl::Seconds(3);
// A slow link is measured by what passes in this time.
constexpr absl::Duration kMaxDirection = absl::Seconds(1);

// Blocks of a type byte and kBlockBytes bytes, until all bytes are sent or the
// time is over.
absl::Status SendBlocks(int fd, double bytes, absl::Time deadline) {
  const std::string block =
      std::string(1, kMore) + std::string(kBlockBytes, 'x');
  const absl::Time stop = absl::Now() + kMaxDirection;
  double sent = 0;
  do {
    RETURN_IF_ERROR(SendAll(fd, block, deadline));
    sent += kBlockBytes;
  } while (sent < bytes && absl::Now() < stop);
  return SendAll(fd, std::string(1, kEnd), deadline);
}

// The rate at which blocks arrive, in bytes a second.
absl::StatusOr<double> ReceiveBlocks(int fd, absl::Time deadline) {
  absl::Time start;
  double bytes = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::string type, ReceiveExactly(fd, 1, deadline));
    if (bytes == 0) start = absl::Now();
    if (type[0] != kMore) break;
    RETURN_IF_ERROR(ReceiveExactly(fd, kBlockBytes, deadline).status());
    bytes += kBlockBytes;
  }
  return bytes / std::max(1e-9, absl::ToDoubleSeconds(absl::Now() - start));
}

std::string Padded(double rate) {
  std::string text = absl::StrCat(rate);
  text.resize(kRateBytes, ' ');
  return text;
}

absl::Status Answer(int fd, const LinkProbe& probe, absl::Time deadline) {
  for (int i = 0; i < kPings; ++i) {
    ASSIGN_OR_RETURN(const std::string ping,
                     ReceiveExactly(fd, kPingBytes, deadline));
    RETURN_IF_ERROR(SendAll(fd, ping, deadline));
  }
  ASSIGN_OR_RETURN(const double rate, ReceiveBlocks(fd, deadline));
  RETURN_IF_ERROR(SendAll(fd, Padded(rate), deadline));
  return SendBlocks(fd, probe.bytes, deadline);
}

absl::StatusOr<double> MedianRoundTrip(int fd, absl::Time deadline) {
  std::vector<double> seconds;
  const std::string ping(kPingBytes, 'p');
  for (int i = 0; i < kPings; ++i) {
    const absl::Time start = absl::Now();
    RETURN_IF_ERROR(SendAll(fd, ping, deadline));
    RETURN_IF_ERROR(ReceiveExactly(fd, kPingBytes, deadline).status());
    seconds.push_back(absl::ToDoubleSeconds(absl::Now() - start));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kPings / 2,
                   seconds.end());
  return seconds[kPings / 2];
}

absl::Status Measure(int fd, const LinkProbe& probe, absl::Time deadline,
                     Outcome* outcome) {
  ASSIGN_OR_RETURN(outcome->metrics["latency_s"],
                   MedianRoundTrip(fd, deadline));
  RETURN_IF_ERROR(SendBlocks(fd, probe.bytes, deadline));
  ASSIGN_OR_RETURN(const std::string rate,
                   ReceiveExactly(fd, kRateBytes, deadline));
  if (!absl::SimpleAtod(rate, &outcome->metrics["send_bytes_per_second"])) {
    return MakePlainError(coordination_messages::kMalformed);
  }
  ASSIGN_OR_RETURN(outcome->metrics["receive_bytes_per_second"],
                   ReceiveBlocks(fd, deadline));
  return absl::OkStatus();
}

// Whether the node at the other end has the key.
bool IsFromThisRun(int fd, const LinkProbe& probe, absl::Time deadline) {
  const std::string nonce = RandomBytes(kProofNonceBytes);
  if (!SendAll(fd, nonce, deadline).ok()) return false;
  const auto proof = ReceiveExactly(fd, kProofBytes, deadline);
  return proof.ok() && EqualInConstantTime(*proof, Hmac(probe.key, nonce));
}

absl::Status Prove(int fd, const LinkProbe& probe, absl::Time deadline) {
  ASSIGN_OR_RETURN(const std::string nonce,
                   ReceiveExactly(fd, kProofNonceBytes, deadline));
  return SendAll(fd, Hmac(probe.key, nonce), deadline);
}

Outcome Broken(const absl::Status& status) {
  return Outcome::Failed(FormatMessage(coordination_messages::kLinkBroken,
                                       {{"cause", status.message()}}));
}

}  // namespace

Outcome AnswerLinkProbe(const LinkProbe& probe,
                        const std::function<void(int port)>& on_listening) {
  const absl::Time deadline = absl::Now() + probe.timeout;
  const absl::Time connected =
      std::min(deadline, absl::Now() + kLinkConnectTimeout);
  const auto listener = ListenEverywhere(0);
  if (!listener.ok()) return Broken(listener.status());
  const auto port = PortOf(listener->get());
  if (!port.ok()) return Broken(port.status());
  on_listening(*port);
  while (absl::Now() < connected) {
    pollfd waiting{listener->get(), POLLIN, 0};
    const int64_t left = absl::ToInt64Milliseconds(connected - absl::Now());
    if (poll(&waiting, 1, static_cast<int>(std::max<int64_t>(left, 1))) < 1) {
      continue;
    }
    const UniqueFd fd(accept4(listener->get(), nullptr, nullptr,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
    // another process, which may have waited for the port, changes nothing
    if (!fd.valid() || !IsFromThisRun(fd.get(), probe, connected)) continue;
    const absl::Status status = Answer(fd.get(), probe, deadline);
    return status.ok() ? Outcome() : Broken(status);
  }
  return Outcome::Failed(FormatMessage(coordination_messages::kLinkBroken,
                                       {{"cause", std::strerror(ETIMEDOUT)}}));
}

Outcome MeasureLink(const LinkProbe& probe, const std::string& address,
                    int port) {
  const absl::Time deadline = absl::Now() + probe.timeout;
  const auto fd = ConnectTcp(
      address, port, std::min(deadline, absl::Now() + kLinkConnectTimeout));
  if (!fd.ok()) {
    return Outcome::Failed(FormatMessage(coordination_messages::kLinkConnect,
                                         {{"address", address},
                                          {"port", port},
                                          {"cause", fd.status().message()}}));
  }
  Outcome outcome;
  absl::Status status = Prove(fd->get(), probe, deadline);
  if (status.ok()) status = Measure(fd->get(), probe, deadline, &outcome);
  return status.ok() ? outcome : Broken(status);
}

}  // namespace carme::vet
