// Reachability by TCP, and DNS.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr int kDefaultPort = 53;  // vetnode's

struct Free {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, Free>;

// The addresses, or why there are none.
std::variant<Addresses, std::string> Resolve(const std::string& host,
                                             const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error == 0) return Addresses(found);
  return FormatMessage(evaluation_messages::kNotResolved,
                       {{"host", host},
                        {"cause", error == EAI_SYSTEM ? std::strerror(errno)
                                                      : gai_strerror(error)}});
}

// 0, or the error.
int TryConnect(const addrinfo& address, absl::Time deadline) {
  const UniqueFd fd(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno;
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{fd.get(), POLLOUT, 0};
  const int left =
      static_cast<int>(absl::ToInt64Milliseconds(deadline - absl::Now()));
  const int ready = poll(&waiting, 1, left < 0 ? 0 : left);
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

std::string TextOf(const addrinfo& address) {
  char text[NI_MAXHOST] = "";
  getnameinfo(address.ai_addr, address.ai_addrlen, text, sizeof text, nullptr,
              0, NI_NUMERICHOST);
  return text;
}

}  // namespace

Outcome EvaluateTcp(const Evaluation& evaluation) {
  const std::string host = evaluation.parameters.Text("host");
  const int port = static_cast<int>(
      evaluation.parameters.Number("port").value_or(kDefaultPort));
  // Before the time-out of the process, which has no better reason.
  const absl::Time start = absl::Now();
  const absl::Time deadline = start + evaluation.timeout * 0.9;
  const auto resolved = Resolve(host, absl::StrCat(port));
  if (const auto* problem = std::get_if<std::string>(&resolved)) {
    return Outcome::Failed(*problem);
  }
  int error = 0;
  for (const addrinfo* at = std::get<Addresses>(resolved).get(); at != nullptr;
       at = at->ai_next) {
    error = TryConnect(*at, deadline);
    if (error != 0) continue;
    Outcome outcome;
    outcome.metrics["connect_s"] = absl::ToDoubleSeconds(absl::Now() - start);
    return outcome;
  }
  return Outcome::Failed(FormatMessage(
      evaluation_messages::kNotReached,
      {{"host", host}, {"port", port}, {"cause", std::strerror(error)}}));
}

Outcome EvaluateDns(const Evaluation& evaluation) {
  const std::string host = evaluation.parameters.Text("host");
  const absl::Time start = absl::Now();
  const auto resolved = Resolve(host, "0");
  const double took = absl::ToDoubleSeconds(absl::Now() - start);
  if (const auto* problem = std::get_if<std::string>(&resolved)) {
    return Outcome::Failed(*problem);
  }
  Texts found;
  for (const addrinfo* at = std::get<Addresses>(resolved).get(); at != nullptr;
       at = at->ai_next) {
    found.push_back(TextOf(*at));
  }
  Outcome outcome;
  const std::string expected = evaluation.parameters.Text("address");
  if (!expected.empty() &&
      std::find(found.begin(), found.end(), expected) == found.end()) {
    outcome =
        Outcome::Failed(FormatMessage(evaluation_messages::kResolvedTo,
                                      {{"host", host},
                                       {"found", absl::StrJoin(found, ", ")},
                                       {"expected", expected}}));
  }
  const auto max = evaluation.parameters.Number("max_latency");
  if (max.has_value() && took > *max) {
    outcome = Outcome::Failed(
        FormatMessage(evaluation_messages::kSlow,
                      {{"subject", absl::StrCat("the look-up of ", host)},
                       {"found", FormatSeconds(took)},
                       {"expected", FormatSeconds(*max)}}));
  }
  outcome.metrics["latency_s"] = took;
  return outcome;
}

}  // namespace carme::vet
