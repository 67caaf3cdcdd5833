#include "common/ids.h"

#include "common/encoding.h"
#include "common/name_rules.h"
#include "common/random.h"

namespace carme {
bool IsJobId(std::string_view text) { return kJobIdRule.Allows(text); }

JobId NewJobId() {
  // Base32 of 10 bytes is 16 characters; a leading digit (2 to 7) becomes one
  // of the six letters g to l, which preserves the bits.
  std::string id = Base32Encode(RandomBytes(10));
  for (char& c : id) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (kDecimalDigits.Contains(id[0])) {
    id[0] = static_cast<char>(id[0] - '2' + 'g');
  }
  return JobId(id);
}

// Uses a buffer of random bytes per thread: a system call for each request
// would be two per cent of the proxy's cost of a request.
std::string NewRequestId() {
  constexpr size_t kBytes = 8;
  thread_local std::string store;
  if (store.size() < kBytes) store = RandomBytes(256 * kBytes);
  const size_t rest = store.size() - kBytes;
  std::string id = HexEncode(std::string_view(store).substr(rest));
  store.resize(rest);
  return id;
}

}  // namespace carme
