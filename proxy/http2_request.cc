#include "proxy/http2_request.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <utility>

#include "common/ids.h"
#include "common/random.h"
#include "proxy/api_error.h"
#include "proxy/own_answer.h"
#include "proxy/trailers.h"

namespace carme::proxy {
namespace {

constexpr size_t kMostTrailerBytes = 4096;
constexpr size_t kWebsocketKeyBytes = 16;
// RFC 6455 section 1.3.
constexpr char kWebsocketGuid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

std::string Base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::string WebsocketAccept(const std::string& key) {
  const std::string text = key + kWebsocketGuid;
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       digest);
  return Base64({reinterpret_cast<const char*>(digest), sizeof digest});
}

}  // namespace

Http2Request::Http2Request(Worker& worker, Decider& decider,
                           net::Http2Carrier& carrier, nghttp2_session* session,
                           int32_t id)
    : ClientSide(body_),
      Timer(worker.loop().timers()),
      worker_(worker),
      decider_(decider),
      session_(session),
      body_(carrier, worker.loop(), id),
      head_(worker.head_limits().most_bytes, &worker.services().site) {}

Http2Request::~Http2Request() = default;

void Http2Request::AddTrailer(std::string_view name, std::string_view value) {
  // Dropped as a whole where HTTP/1.1 would refuse: nothing depends on them.
  if (trailers_.size() + name.size() + value.size() > kMostTrailerBytes) return;
  if (!MayBeTrailer(name, value)) return;
  trailers_.append(name).append(": ").append(value).append("\r\n");
}

void Http2Request::SubmitTrailers() {
  const auto& list = answer_trailers_.List();
  nghttp2_submit_trailer(session_, body_.id(), list.data(), list.size());
}

void Http2Request::Abort() {
  if (exchange_ != nullptr) return exchange_->Abort();
  body_.Cancel();
}

void Http2Request::OnDeadline() {
  const absl::Time expires =
      exchange_ != nullptr ? exchange_->expires() : absl::InfinitePast();
  const absl::Duration left = expires - worker_.services().clock.Now();
  // The clock was set back meanwhile.
  if (left > absl::ZeroDuration()) {
    return ArmTimer(absl::ToInt64Milliseconds(left));
  }
  Abort();
}

void Http2Request::AppendHeadRefusal(int status, const char* why) {
  const std::string request_id = NewRequestId();
  Refusal refusal{.status = status, .why = why, .request_id = request_id};
  refusal.api = IsApiTarget(head_.path());
  const HostMeaning host =
      worker_.services().site.Meaning(head_.authority(), head_.path());
  refusal.clear_cookies = status == 431 && head_.is_mostly_cookies() &&
                          host.kind != HostKind::kUnknown;
  AppendRefusal(refusal, &worker_.out());
}

void Http2Request::Judge(bool body_follows, ExchangeRequest* exchange) {
  std::string text, key;
  const bool websocket = head_.opens_websocket();
  if (websocket) key = Base64(RandomBytes(kWebsocketKeyBytes));
  std::string& out = worker_.out();
  out.clear();
  if (!head_.Write(body_follows, key, &text)) {
    worker_.counters().refused_requests.Add();
    return AppendHeadRefusal(head_.status(), head_.why());
  }
  const ScanResult scan =
      ScanRequest(text, worker_.head_limits(), &worker_.request());
  if (scan.state != ScanState::kDone) {
    worker_.counters().refused_requests.Add();
    return AppendHeadRefusal(
        scan.state == ScanState::kRefused ? scan.status : 400, scan.why);
  }
  decider_.Decide(worker_.request(), NewRequestId(), false, exchange);
  if (websocket) exchange->websocket_accept = WebsocketAccept(key);
  // Chunks are for the next hop: frames end what comes from here.
  if (exchange->body.kind == BodyKind::kChunked) {
    exchange->body.kind = BodyKind::kUntilClose;
  }
}

net::Task<void> Http2Request::Run(bool body_follows) {
  started_ = true;
  ExchangeRequest request;
  Judge(body_follows, &request);
  head_.Forget();
  if (request.head.empty()) {
    FormOwnAnswer(&worker_.out());
    body_.ExpireAfter(worker_.services().limits.head_timeout);
    net::IoResult put = co_await body_.Write(worker_.out());
    if (put.error != 0) body_.Cancel();
  } else {
    if (request.access != nullptr) {
      ArmTimer(absl::ToInt64Milliseconds(request.access->expires -
                                         worker_.services().clock.Now()));
    }
    Exchange exchange(worker_, *this, std::move(request));
    exchange_ = &exchange;
    co_await exchange.Run();
    exchange_ = nullptr;
    DisarmTimer();
  }
  if (body_.cut() || body_.closed()) co_return;
  net::IoResult finished = co_await body_.Finish();
  if (finished.error != 0) body_.Cancel();
}

void Http2Request::AppendContinue(std::string*) {
  Http2Fields fields;
  fields.Add(":status", "100");
  const auto& list = fields.List();
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, body_.id(), nullptr,
                         list.data(), list.size(), nullptr);
}

void Http2Request::AppendHead(const ResponseHead& head, Hop hop,
                              const BodyFraming& body, bool, std::string*) {
  Http2Fields fields = Http2Response(head, hop, body);
  const auto& list = fields.List();
  tunnel_ = head.status == 101;
  const bool ends = !tunnel_ && body.kind == BodyKind::kNone;
  if (ends) body_.EndWithHead();
  // The callback finds the request by the stream's id.
  nghttp2_data_provider data{};
  data.read_callback = [](nghttp2_session* session, int32_t id, uint8_t* to,
                          size_t size, uint32_t* flags, nghttp2_data_source*,
                          void*) -> ssize_t {
    auto* request = static_cast<Http2Request*>(
        nghttp2_session_get_stream_user_data(session, id));
    if (request == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    bool end = false;
    const size_t given = request->body().Give(to, size, &end);
    if (end) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (request->has_trailers()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        request->SubmitTrailers();
      }
    } else if (given == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(given);
  };
  nghttp2_submit_response(session_, body_.id(), list.data(), list.size(),
                          ends ? nullptr : &data);
}

void Http2Request::AppendEnd(bool, std::string_view trailers, std::string*) {
  if (!body_.ended()) answer_trailers_ = Http2Trailers(trailers);
  body_.EndWithNext();
}

void Http2Request::FormOwnAnswer(std::string* out) {
  ResponseHead head;
  const ScanResult scan = ScanResponse(*out, HeadLimits(), &head);
  const bool body = out->size() > scan.head_bytes;
  const BodyKind kind = body ? BodyKind::kLength : BodyKind::kNone;
  AppendHead(head, Hop::kPortal, {kind, head.length}, false, out);
  out->erase(0, scan.head_bytes);
  AppendEnd(false, "", out);
}

}  // namespace carme::proxy
