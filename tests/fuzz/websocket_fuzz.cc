// What the proxy reads without interpreting it: websocket frames, and text of
// other programs on its own pages; and their invariants.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/printable.h"
#include "proxy/local_reply/error_page.h"
#include "slurm-hooks/agent/usage/websocket_input.h"

namespace carme::proxy {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

// The result does not depend on fragmentation.
void CheckInput(std::string_view bytes) {
  static const std::array<std::string, 3> paths = {"/", "/websockify",
                                                   "/?reconnectionToken=x"};
  const std::string& path = paths[bytes.size() % paths.size()];
  agent::WebsocketInput whole(path), halves(path), single(path);
  const bool input = whole.Feed(bytes, 0);
  const size_t half = bytes.size() / 2;
  const bool first = halves.Feed(bytes.substr(0, half), 0);
  const bool second = halves.Feed(bytes.substr(half), 0);
  Require((first || second) == input);
  bool any = false;
  for (const char c : bytes) any = single.Feed({&c, 1}, 0) || any;
  Require(any == input);
  Require(whole.unknown() == single.unknown());
}

// Has characters with a meaning in HTML.
long Marks(const std::string& page) {
  const size_t body = page.find("<body>");
  return std::count_if(
      page.begin() + static_cast<long>(body), page.end(),
      [](char c) { return c == '<' || c == '>' || c == '"' || c == '\''; });
}

long Quotes(const std::string& json) {
  long quotes = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      ++quotes;
    }
  }
  return quotes;
}

// Whatever the text, a page has the same elements as with a plain word, and
// JSON the same members.
void CheckWords(std::string_view bytes) {
  static const ErrorPageContext plain{.reason = "x"};
  static const long marks = Marks(ErrorPageHtml(ReplyReason::kJobEnded, plain));
  static const long quotes =
      Quotes(ErrorPageJson(ReplyReason::kJobEnded, plain));
  const std::string text = "x" + Readable(bytes, 400);
  const ErrorPageContext facts{.reason = text};
  Require(Marks(ErrorPageHtml(ReplyReason::kJobEnded, facts)) == marks);
  Require(Quotes(ErrorPageJson(ReplyReason::kJobEnded, facts)) == quotes);
}

}  // namespace
}  // namespace carme::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::proxy::CheckInput(bytes);
  carme::proxy::CheckWords(bytes);
  return 0;
}
