#include "proxy/exchange.h"

#include <cerrno>
#include <utility>

#include "common/log.h"

namespace carme::proxy {
namespace {

constexpr int kMostInterim = 8;  // 1xx answers before the real one
// For an app that may still start, before a person gets a page instead.
constexpr absl::Duration kPagePatience = absl::Seconds(2);

// Who does not answer in time, or is somebody else, would be so again.
bool MayOpenAgain(const absl::Status& failed) {
  return absl::IsUnavailable(failed);
}

}  // namespace

Exchange::Exchange(Worker& worker, ClientSide& side, ExchangeRequest request)
    : worker_(worker),
      side_(side),
      client_(side.stream()),
      request_(std::move(request)),
      body_charge_(worker.services().portal.buffers()) {
  client_.WatchEnd(this);
  if (request_.access == nullptr) return;
  use_ = worker_.activity().Begin(request_.access->host.job);
  if (request_.changes) use_.Input();
}

Exchange::~Exchange() { client_.WatchEnd(nullptr); }

void Exchange::OnUnreadEnd() {
  // A body that still comes meets the end by itself, and so does a relay.
  const bool reads =
      body_ ? !body_->ended() : request_.body.kind != BodyKind::kNone;
  if (reads || relaying_) return;
  if (client_.PeekEnd() == net::Stream::End::kCut) Abort();
}

void Exchange::Abort() {
  aborted_ = true;
  client_.Cancel();
  if (response_) {
    if (is_stream_) return response_->Cancel();
    return response_->Discard(kUnreadResponseTime);
  }
  if (upstream_ == nullptr) return;
  if (asked_ && !relaying_) {
    return upstream_->stream->ExpireAfter(kUnreadResponseTime);
  }
  upstream_->stream->Cancel();
}

bool Exchange::Admitted(const RouteTable& routes, absl::Time now) const {
  return request_.access == nullptr ||
         routes.Admits(*request_.access, *request_.agent, now);
}

net::Task<bool> Exchange::Run() {
  if (request_.hop == Hop::kPortal && request_.body.kind != BodyKind::kNone) {
    if (!co_await ReadPortalRequest()) co_return false;
  }
  for (bool fresh = false;; fresh = true) {
    absl::Status opened = absl::OkStatus();
    if (fresh || !TakeOpen()) opened = co_await Open(fresh);
    if (aborted_) co_return false;
    if (!opened.ok()) {
      LogDebug("no upstream",
               {{"request", request_.request_id}, {"why", opened.ToString()}});
      if (!fresh && MayOpenAgain(opened)) continue;
      co_return co_await AnswerTrouble(Trouble::kNoAgent);
    }
    Head head = co_await SendAndReadHead();
    if (head == Head::kGood) break;
    if (aborted_) co_return co_await EndRequest(false);
    if (head == Head::kGone && upstream_->reused && request_.may_repeat) {
      continue;
    }
    if (head == Head::kSlow) {
      co_return co_await AnswerTrouble(Trouble::kSlow);
    }
    if (head == Head::kBroken) {
      co_return co_await AnswerNotice(Notice::kBadGateway);
    }
    co_return co_await AnswerTrouble(Trouble::kNoAnswer);
  }
  co_return co_await PassAnswer();
}

const Standing* Exchange::StandingOfJob() const {
  return request_.access == nullptr
             ? nullptr
             : worker_.standings().Find(request_.access->host.job);
}

Situation Exchange::SituationOf(Trouble trouble) const {
  if (request_.access == nullptr) return {Notice::kPortalDown};
  return proxy::SituationOf(trouble, StandingOfJob(), request_.access->app);
}

net::Task<bool> Exchange::AnswerTrouble(Trouble trouble) {
  return AnswerSelf(SituationOf(trouble));
}

net::Task<bool> Exchange::AnswerNotice(Notice notice) {
  return AnswerSelf(Situation{notice});
}

const net::Address& Exchange::NextHop() const {
  return request_.agent ? *request_.agent : worker_.services().frontend;
}

bool Exchange::TakeOpen() {
  upstream_ = worker_.pool().Take(request_.access, NextHop());
  return upstream_ != nullptr;
}

net::Task<absl::Status> Exchange::Open(bool fresh) {
  const net::Address address = NextHop();
  upstream_ = nullptr;
  absl::StatusOr<UpstreamPtr> opened = absl::InternalError("not opened");
  if (request_.access == nullptr) {
    opened = co_await worker_.pool().OpenFrontend(address);
  } else {
    opened = co_await worker_.pool().OpenAgent(request_.access, address, fresh,
                                               aborted_);
  }
  if (!opened.ok()) co_return opened.status();
  upstream_ = *std::move(opened);
  co_return absl::OkStatus();
}

net::Task<Exchange::Head> Exchange::SendAndReadHead() {
  net::Stream& upstream = *upstream_->stream;
  page_in_time_ = request_.page && request_.may_repeat &&
                  request_.access != nullptr &&
                  MayStillStart(StandingOfJob(), request_.access->app);
  upstream.ExpireAfter(page_in_time_ ? kPagePatience
                                     : worker_.services().limits.body_timeout);
  if (request_.body.kind == BodyKind::kNone) {
    net::IoResult sent = co_await upstream.Write(request_.head);
    if (sent.error != 0) co_return Head::kGone;
    if (request_.hop == Hop::kPortal) {
      asked_ = true;
      if (!request_.may_repeat) std::string().swap(request_.head);
      body_charge_.ReturnAll();
      if (aborted_) upstream.ExpireAfter(kUnreadResponseTime);
    }
  } else {
    if (request_.expects_continue && side_.held().empty()) {
      worker_.out().clear();
      side_.AppendContinue(&worker_.out());
      net::IoResult put = co_await client_.Write(worker_.out());
      if (put.error != 0) co_return Head::kGone;
    }
    body_.emplace(side_, upstream, request_.body, worker_.services().limits);
    worker_.loop().Spawn(body_->Send(std::move(request_.head)));
  }
  co_return co_await ReadHead();
}

net::Task<Exchange::Head> Exchange::ReadHead() {
  net::EventLoop& loop = worker_.loop();
  std::string& held = upstream_->held;
  int interim = 0;
  bool read = held.empty();
  for (;;) {
    if (read) {
      net::IoResult got = co_await upstream_->stream->Read(
          loop.scratch(), net::EventLoop::kScratchBytes);
      if (got.error == ETIMEDOUT) {
        co_return page_in_time_ ? Head::kSlow : Head::kBroken;
      }
      if (got.error != 0 || got.bytes == 0) {
        co_return held.empty() && interim == 0 ? Head::kGone : Head::kBroken;
      }
      if (held.empty()) {
        input_ = loop.scratch();
        input_size_ = got.bytes;
      } else {
        held.append(loop.scratch(), got.bytes);
      }
    }
    if (!held.empty()) {
      input_ = held.data();
      input_size_ = held.size();
    }
    const ScanResult scan = ScanResponse(
        {input_, input_size_}, worker_.head_limits(), &worker_.response());
    if (scan.state == ScanState::kRefused) {
      LogDebug("answer refused",
               {{"request", request_.request_id}, {"why", scan.why}});
      co_return Head::kBroken;
    }
    read = scan.state == ScanState::kMore;
    if (read) {
      if (held.empty()) held.assign(input_, input_size_);
      continue;
    }
    head_bytes_ = scan.head_bytes;
    const int status = worker_.response().status;
    if (status >= 200 || status == 101) co_return Head::kGood;
    // 100 was answered here; the others are hints that a client can do without.
    if (++interim > kMostInterim) co_return Head::kBroken;
    held.assign(input_ + head_bytes_, input_size_ - head_bytes_);
    read = held.empty();
  }
}

net::Task<bool> Exchange::AnswerSelf(Situation situation) {
  Notice notice = situation.notice;
  AnswerOptions options;
  options.page = request_.page;
  options.api = request_.api;
  options.head_only = request_.to_head;
  options.close = !request_.keep_alive || worker_.draining() ||
                  body_.has_value() || request_.body.kind != BodyKind::kNone;
  options.request_id = request_.request_id;
  const std::string portal = worker_.services().site.PortalUrl();
  const std::string state_path = request_.prefix + std::string(kStatePath);
  if (request_.hop == Hop::kJob) {
    options.portal_url = portal;
    options.state_path = state_path;
    options.reason = situation.reason;
    options.expected_start = situation.expected_start;
  }
  std::string& out = worker_.out();
  out.clear();
  options.hsts = worker_.hsts();
  if (body_ && body_->too_large()) {
    worker_.counters().Of(Limit::kBody).Add();
    notice = Notice::kBodyTooLarge;
  }
  if (body_ && body_->bad()) co_return co_await Refuse(400, "bad chunk");
  if (body_ && body_->late()) {
    co_return co_await Refuse(408, "the request took too long");
  }
  request_.record.Answered(StatusOf(notice));
  AppendNotice(notice, options, &out);
  side_.FormOwnAnswer(&out);
  client_.ExpireAfter(worker_.services().limits.head_timeout);
  net::IoResult put = co_await client_.Write(out);
  co_return co_await EndRequest(put.error == 0 && !options.close);
}

net::Task<bool> Exchange::Refuse(int status, const char* why) {
  std::string& out = worker_.out();
  out.clear();
  request_.record.Answered(status);
  AppendRefusal({.status = status,
                 .why = why,
                 .api = request_.api,
                 .request_id = request_.request_id},
                &out);
  side_.FormOwnAnswer(&out);
  client_.ExpireAfter(worker_.services().limits.head_timeout);
  net::IoResult put = co_await client_.Write(out);
  if (put.error != 0) client_.Cancel();
  co_return co_await EndRequest(false);
}

net::Task<bool> Exchange::EndRequest(bool good) {
  if (!body_) co_return good;
  if (!body_->complete()) {
    good = false;
    body_->Drop();
    // The client learns that nothing more comes, and stops sending.
    net::IoResult finished = co_await client_.Finish();
    if (finished.error != 0) client_.Cancel();
  }
  co_await body_->Done();
  CountReceived(body_->received_bytes());
  co_return good;
}

}  // namespace carme::proxy
