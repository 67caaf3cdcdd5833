// The proxy's parsers of untrusted bytes, and their invariants: an accepted
// head reads the same after it is written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/crypto/signature.h"
#include "common/http1/body.h"
#include "common/random.h"
#include "proxy/access/grant_cookie.h"
#include "proxy/access/ticket_verifier.h"
#include "proxy/http/cookies.h"
#include "proxy/http/cross_origin.h"
#include "proxy/http/head_writer.h"
#include "proxy/http/http2_head.h"
#include "proxy/http/path_prefix.h"
#include "proxy/http/trailers.h"
#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

void CheckRequest(std::string_view bytes) {
  RequestHead head;
  const ScanResult scan = ScanRequest(bytes, HeadLimits(), &head);
  if (scan.state != ScanState::kDone) return;
  Require(scan.head_bytes <= bytes.size());
  Require(!(head.chunked && head.has_length));
  CrossOriginRefusal(head, "https://a.example");
  IsNavigation(head);
  FindCookie(head, kJobCookieName);
  for (UpstreamKind upstream_kind :
       {UpstreamKind::kPortal, UpstreamKind::kJob}) {
    std::string out;
    AppendRequest(head, upstream_kind, {"192.0.2.1", "id"}, &out);
    RequestHead again;
    HeadLimits wide;
    wide.max_bytes *= 4;  // "%" is escaped
    wide.max_fields *= 2;
    const ScanResult written = ScanRequest(out, wide, &again);
    Require(written.state == ScanState::kDone);
    Require(written.head_bytes == out.size());
    Require(again.body.kind == head.body.kind);
    Require(again.body.length == head.body.length);
    Require(again.target == head.target && again.host == head.host);
    Require(again.opens_websocket ==
            (head.opens_websocket && upstream_kind == UpstreamKind::kJob));
    Require(FindCookie(again, kJobCookieName).empty());
    if (upstream_kind == UpstreamKind::kJob)
      Require(FindCookie(again, kPortalCookieName).empty());
  }
}

void CheckResponse(std::string_view bytes) {
  ResponseHead head;
  BodyFraming body;
  if (ScanResponse(bytes, HeadLimits(), &head).state != ScanState::kDone ||
      !FrameResponse(head, false, &body)) {
    return;
  }
  std::string out;
  AppendResponse(head, UpstreamKind::kJob, body, false, &out);
  ResponseHead again;
  HeadLimits wide;
  wide.max_bytes *= 2;
  wide.max_fields *= 2;
  Require(ScanResponse(out, wide, &again).state == ScanState::kDone);
  Require(again.status == head.status);
  BodyFraming written;
  Require(FrameResponse(again, false, &written));
  Require(
      written.kind ==
      (body.kind == BodyKind::kUntilClose ? BodyKind::kChunked : body.kind));
  Require(written.length == body.length);
  for (const Field& field : again.fields) {
    Require(field.id != FieldId::kSetCookie || MayJobSetCookie(field.value));
  }
}

// An accepted head is one head, with the fields of the request and our own.
void CheckHttp2Head(std::string_view bytes) {
  constexpr char kPair = '\x1e', kValue = '\x1f';
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  Http2RequestHead head(4096);
  while (!bytes.empty()) {
    const std::string_view pair = bytes.substr(0, bytes.find(kPair));
    bytes.remove_prefix(std::min(bytes.size(), pair.size() + 1));
    const size_t at = std::min(pair.find(kValue), pair.size());
    fields.emplace_back(pair.substr(0, at),
                        pair.substr(std::min(at + 1, pair.size())));
    head.Add(fields.back().first, fields.back().second);
  }
  std::string text;
  if (!head.Write(fields.size() % 2 == 1, "dGhlIHNhbXBsZSBub25jZQ==", &text)) {
    Require(head.status() >= 400 && text.empty());
    return;
  }
  RequestHead scanned;
  const ScanResult scan = ScanRequest(text, HeadLimits(), &scanned);
  Require(scan.state != ScanState::kMore);
  if (scan.state != ScanState::kDone) return;
  Require(scan.head_bytes == text.size());
  for (const Field& field : scanned.fields) {
    bool known = field.id == FieldId::kHost || field.id == FieldId::kCookie ||
                 field.id == FieldId::kConnection ||
                 field.id == FieldId::kUpgrade ||
                 field.id == FieldId::kTransferEncoding ||
                 field.id == FieldId::kSecWebSocketKey;
    for (const auto& [name, value] : fields) {
      known = known || (name == field.name && TrimBlanks(value) == field.value);
    }
    Require(known);
  }
}

void CheckTrailers(std::string_view lines) {
  if (lines.size() > 4000) return;
  std::string last;
  AppendLastChunk(lines, &last);
  ChunkDecoder decoder;
  const ChunkDecoder::Step step = decoder.Decode(last.data(), last.size());
  Require(step.done && step.consumed == last.size() && step.payload == 0);
}

void CheckSecrets(std::string_view bytes) {
  static const VerifyingKey key = *VerifyingKey::FromRaw(
      SigningKey::FromSeed(std::string(32, 'k'))->PublicKey());
  static TicketVerifier office(
      std::make_unique<UsedTicketStore>(absl::UnixEpoch()));
  static GrantCookieSealer seal(std::string(32, 's'));
  static const VirtualHosts hosts =
      *VirtualHosts::Create("p.example", "jobs.example");
  const JobHost host = {JobId("j23456789abcdefg"), "j23456789abcdefg"};
  Require(!office.Redeem(bytes, host, key, absl::UnixEpoch()).ok());
  Require(!seal.Open(host.label, bytes).ok());
  hosts.Match(bytes, bytes);
  ParseAccessGrant(std::string(bytes), nullptr).status().IgnoreError();
}

void CheckPaths(std::string_view bytes) {
  static const VirtualHosts hosts =
      *VirtualHosts::CreateWithPaths("p.example", "j.example");
  constexpr std::string_view kPrefix = "/j23456789abcdefg";
  const HostMatch meaning = hosts.Match("j.example", bytes);
  if (meaning.kind == HostKind::kJob) {
    const std::string start = "/" + meaning.host.label + "/";
    Require(bytes.substr(0, start.size()) == start);
  }
  const std::string below = PathBelowPrefix(kPrefix, bytes);
  Require(below == kPrefix || below.compare(0, kPrefix.size() + 1,
                                            std::string(kPrefix) + "/") == 0);
  Require(PathBelowPrefix(kPrefix, below) == below);

  ResponseHead head;
  const ScanResult scan = ScanResponse(bytes, HeadLimits(), &head);
  if (scan.state != ScanState::kDone) return;
  std::list<std::string> values, again;
  RewriteForPrefix(kPrefix, "j.example", &head, &values);
  for (const Field& field : head.fields) Require(!HasControl(field.value));
  std::vector<std::string> once;
  for (const Field& field : head.fields) once.emplace_back(field.value);
  RewriteForPrefix(kPrefix, "j.example", &head, &again);
  Require(std::equal(head.fields.begin(), head.fields.end(), once.begin(),
                     once.end(), [](const Field& field, const std::string& o) {
                       return field.value == o;
                     }));
}

}  // namespace
}  // namespace carme::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::proxy::CheckRequest(bytes);
  carme::proxy::CheckResponse(bytes);
  carme::proxy::CheckHttp2Head(bytes);
  carme::proxy::CheckTrailers(bytes);
  carme::proxy::CheckSecrets(bytes);
  carme::proxy::CheckPaths(bytes);
  return 0;
}
