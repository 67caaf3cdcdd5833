// The shared reader of HTTP/1 heads and bodies, and its invariants: no part of
// an accepted head is accepted, and the result for chunks does not depend on
// how they are fragmented.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/http1/body.h"
#include "common/http1/head.h"

namespace carme {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

void CheckFields(const Head& head) {
  for (const Field& field : head.fields) {
    Require(IsToken(field.name) && !HasControl(field.value));
    Require(field.value == TrimBlanks(field.value));
  }
  Require(!(head.chunked && head.has_length));
}

void CheckRequest(std::string_view bytes) {
  RequestHead head;
  const ScanResult scan = ScanRequest(bytes, HeadLimits(), &head);
  Require(scan.state != ScanState::kRefused || scan.status >= 400);
  if (scan.state != ScanState::kDone) return;
  Require(scan.head_bytes <= bytes.size() && head.bytes == scan.head_bytes);
  Require(head.target.starts_with('/') && IsToken(head.method));
  Require(!head.opens_websocket || head.body.kind == BodyKind::kNone);
  CheckFields(head);
  RequestHead part;
  for (size_t size : {scan.head_bytes - 1, scan.head_bytes / 2}) {
    Require(ScanRequest(bytes.substr(0, size), HeadLimits(), &part).state !=
            ScanState::kDone);
  }
}

void CheckResponse(std::string_view bytes) {
  ResponseHead head;
  const ScanResult scan = ScanResponse(bytes, HeadLimits(), &head);
  Require(scan.state != ScanState::kRefused || scan.status == 502);
  if (scan.state != ScanState::kDone) return;
  Require(scan.head_bytes <= bytes.size());
  Require(head.status >= 100 && head.status <= 599);
  CheckFields(head);
  BodyFraming body;
  if (FrameResponse(head, true, &body)) Require(body.kind == BodyKind::kNone);
}

struct Outcome {
  std::string payload;
  bool done = false;
  bool bad = false;
  size_t consumed = 0;
};

Outcome Decode(std::string_view bytes, size_t piece) {
  ChunkDecoder decoder;
  ChunkDecoder skipping;
  Outcome outcome;
  while (!outcome.done && !outcome.bad && outcome.consumed < bytes.size()) {
    std::string part(bytes.substr(outcome.consumed, piece));
    const ChunkDecoder::Step skipped = skipping.Skip(part);
    const ChunkDecoder::Step step = decoder.Decode(part.data(), part.size());
    Require(step.consumed <= part.size() && step.payload <= step.consumed);
    Require(step.done || step.bad || step.consumed == part.size());
    Require(skipped.consumed == step.consumed && skipped.done == step.done &&
            skipped.bad == step.bad);
    outcome.payload.append(part, 0, step.payload);
    outcome.consumed += step.consumed;
    outcome.done = step.done;
    outcome.bad = step.bad;
  }
  return outcome;
}

void CheckChunks(std::string_view bytes) {
  const Outcome whole = Decode(bytes, bytes.size());
  for (size_t piece : {1, 7}) {
    const Outcome parts = Decode(bytes, piece);
    Require(parts.done == whole.done && parts.bad == whole.bad);
    if (whole.bad) continue;
    Require(parts.payload == whole.payload);
    Require(parts.consumed == whole.consumed);
  }
}

}  // namespace
}  // namespace carme

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::CheckRequest(bytes);
  carme::CheckResponse(bytes);
  carme::CheckChunks(bytes);
  return 0;
}
