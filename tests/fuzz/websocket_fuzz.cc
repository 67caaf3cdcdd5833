// What the proxy looks at without acting on it: a browser's frames, and words
// of others on its own pages. What must hold is checked here beside what the
// sanitizers see.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/printable.h"
#include "common/websocket_input.h"
#include "proxy/notice_page.h"

namespace carme::proxy {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

// How the bytes come makes no difference.
void CheckInput(std::string_view bytes) {
  for (const char* path : {"/", "/websockify"}) {
    WebsocketInput whole(path), halves(path), single(path);
    const bool input = whole.Feed(bytes);
    const size_t half = bytes.size() / 2;
    const bool first = halves.Feed(bytes.substr(0, half));
    const bool second = halves.Feed(bytes.substr(half));
    Require((first || second) == input);
    bool any = false;
    for (const char c : bytes) any = single.Feed({&c, 1}) || any;
    Require(any == input);
    Require(whole.unknown() == single.unknown());
  }
}

// Whatever stands in it, a page has the elements that it has with a plain word,
// and JSON the members.
void CheckWords(std::string_view bytes) {
  const std::string text = "x" + Readable(bytes, 400);
  const NoticeFacts plain{.reason = "x"}, facts{.reason = text};
  const auto count = [](const std::string& in, char what) {
    return std::count(in.begin(), in.end(), what);
  };
  const std::string page = NoticePage(Notice::kJobEnded, facts);
  static const std::string usual = NoticePage(Notice::kJobEnded, plain);
  for (const char what : {'<', '>', '"', '\''}) {
    Require(count(page, what) == count(usual, what));
  }
  const std::string json = NoticeJson(Notice::kJobEnded, facts);
  long quotes = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      ++quotes;
    }
  }
  Require(quotes == count(NoticeJson(Notice::kJobEnded, plain), '"'));
}

}  // namespace
}  // namespace carme::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::proxy::CheckInput(bytes);
  carme::proxy::CheckWords(bytes);
  return 0;
}
