// Ids as types, so that they cannot be confused.
#ifndef CARME_COMMON_IDS_H_
#define CARME_COMMON_IDS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace carme {

template <typename Tag, typename Value>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(Value value) : value_(std::move(value)) {}
  const Value& value() const { return value_; }
  friend bool operator==(const StrongId&, const StrongId&) = default;
  friend auto operator<=>(const StrongId&, const StrongId&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StrongId& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  Value value_{};
};

using JobId = StrongId<struct JobIdTag, std::string>;  // 16 of [a-z0-9]
using SlurmJobId = StrongId<struct SlurmJobIdTag, uint32_t>;
using SessionId = StrongId<struct SessionIdTag, std::string>;  // not the token
using Uid = StrongId<struct UidTag, uint32_t>;

// A letter and 15 of [a-z0-9]: also a DNS label.
bool IsJobId(std::string_view text);
// From 80 random bits.
JobId NewJobId();
// 16 of [0-9a-f], from 64 random bits; for logs and responses. Also a parent id
// of W3C Trace Context.
std::string NewRequestId();

}  // namespace carme

#endif  // CARME_COMMON_IDS_H_
