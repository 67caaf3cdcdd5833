#include "proxy/agent_links.h"

#include <cerrno>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/relay.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

// An agent that dials anew is a new connection before the old one is over.
constexpr size_t kMostLinksOfJob = 2;
constexpr absl::Duration kLook = absl::Milliseconds(20);
// What is carried has time-outs of its own.
constexpr absl::Duration kForever = absl::Hours(24 * 366);

}  // namespace

AgentLinks::AgentLinks(net::EventLoop& loop, const RouteTable& routes,
                       const ProxyLimits& limits, AgentGate& gate,
                       Counters& counters)
    : loop_(loop),
      routes_(routes),
      limits_(limits),
      gate_(gate),
      counters_(counters) {}

void AgentLinks::StopAccepting() {
  leaving_ = true;
  listener_.reset();
  for (const auto& [job, links] : links_) {
    for (Link* link : links) link->http2->Drain();
  }
}

void AgentLinks::Use(std::shared_ptr<const net::TlsContext> agents,
                     bool another) {
  agents_ = std::move(agents);
  if (!another) return;
  for (const auto& [job, links] : links_) {
    for (Link* link : links) {
      if (!link->tls->CheckAgain(*agents_).ok()) link->http2->Cut();
    }
  }
}

void AgentLinks::Recheck() {
  for (const auto& [job, links] : links_) {
    if (CheckRoute(JobId(job)).ok()) continue;
    for (Link* link : links) link->http2->Cut();
  }
}

absl::Status AgentLinks::CheckRoute(const JobId& job) const {
  const net::Address* agent = routes_.Find(job);
  if (agent == nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("job \"", job.value(), "\" is not known"));
  }
  if (Dials(*agent)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("job \"", job.value(), "\" has an agent that listens"));
}

size_t AgentLinks::LoopOf(const JobId& job, size_t loops) {
  return std::hash<std::string>()(job.value()) % loops;
}

AgentLinks& AgentLinks::OwnerOf(const JobId& job) const {
  return *all_[LoopOf(job, all_.size())];
}

void AgentLinks::Add(const JobId& job, Link* link) {
  std::vector<Link*>& links = links_[job.value()];
  for (Link* older : links) older->http2->Drain();
  links.push_back(link);
  if (links.size() > kMostLinksOfJob) links.front()->http2->Cut();
  counters_.agent_links.Add();
}

void AgentLinks::Remove(const JobId& job, Link* link) {
  auto found = links_.find(job.value());
  std::erase(found->second, link);
  if (found->second.empty()) links_.erase(found);
  counters_.agent_links.Subtract();
}

net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>> AgentLinks::OpenHere(
    JobId job, const bool& unwanted) {
  const int64_t due =
      loop_.now_ms() + absl::ToInt64Milliseconds(limits_.connect_timeout);
  for (;;) {
    const auto found = links_.find(job.value());
    if (found != links_.end()) {
      auto opened = found->second.back()->http2->Open();
      if (!absl::IsUnavailable(opened.status())) co_return opened;
    }
    if (unwanted) co_return absl::CancelledError("not wanted any more");
    if (loop_.now_ms() >= due) {
      co_return absl::DeadlineExceededError("the agent has not dialled");
    }
    const int stopped = co_await net::Sleep(loop_, kLook);
    if (stopped != 0) co_return ErrnoError(stopped, "wait for the agent");
  }
}

net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>> AgentLinks::Open(
    JobId job, const bool& unwanted) {
  AgentLinks& owner = OwnerOf(job);
  if (&owner == this) {
    auto opened = co_await OpenHere(std::move(job), unwanted);
    co_return opened;
  }
  auto pipe = std::make_shared<net::Pipe>(loop_, owner.loop_);
  std::unique_ptr<net::Stream> near = net::Pipe::NewEnd(pipe, loop_);
  owner.loop_.Post([&owner, job = std::move(job), pipe = std::move(pipe)] {
    owner.loop_.Spawn(owner.Bridge(job, pipe));
  });
  // The other loop waits, and then says how it went.
  near->ExpireAfter(2 * limits_.connect_timeout);
  char code = 0;
  const net::IoResult got = co_await near->Read(&code, 1);
  if (got.error != 0 || got.bytes == 0) {
    co_return ErrnoError(got.error != 0 ? got.error : ECONNRESET,
                         "reach the agent");
  }
  if (code != 0) {
    co_return absl::Status(static_cast<absl::StatusCode>(code),
                           "the agent cannot be reached");
  }
  co_return absl::StatusOr<std::unique_ptr<net::Stream>>(std::move(near));
}

net::Task<void> AgentLinks::Bridge(JobId job, std::shared_ptr<net::Pipe> pipe) {
  std::unique_ptr<net::Stream> far = net::Pipe::NewEnd(std::move(pipe), loop_);
  const bool unwanted = false;
  auto opened = co_await OpenHere(std::move(job), unwanted);
  const char code = static_cast<char>(opened.status().code());
  const net::IoResult told = co_await far->Write({&code, 1});
  if (!opened.ok() || told.error != 0) co_return;
  net::RelayOptions options;
  options.idle_timeout = options.half_closed_timeout = kForever;
  co_await net::Relay(*far, **opened, options);
}

}  // namespace carme::proxy
