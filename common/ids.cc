#include "common/ids.h"

#include <algorithm>

#include "common/encoding.h"
#include "common/random.h"

namespace carme {
namespace {

constexpr size_t kJobIdLength = 16;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool IsJobId(std::string_view text) {
  return text.size() == kJobIdLength && IsLower(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLower(c) || IsDigit(c); });
}

JobId NewJobId() {
  // Base32 of 10 bytes is 16 characters; a leading digit (2 to 7) becomes one
  // of the six letters g to l, which keeps it a letter and the bits.
  std::string id = Base32Encode(RandomBytes(10));
  for (char& c : id) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (IsDigit(id[0])) id[0] = static_cast<char>(id[0] - '2' + 'g');
  return JobId(id);
}

// From a store of a thread's own: a system call for each request of the proxy
// would be two per cent of what it spends on it.
std::string NewRequestId() {
  constexpr size_t kBytes = 12;
  thread_local std::string store;
  if (store.size() < kBytes) store = RandomBytes(256 * kBytes);
  const size_t rest = store.size() - kBytes;
  std::string id = Base64UrlEncode(std::string_view(store).substr(rest));
  store.resize(rest);
  return id;
}

}  // namespace carme
