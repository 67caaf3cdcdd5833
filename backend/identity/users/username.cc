#include "backend/identity/users/username.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace carme {
namespace {

constexpr size_t kMaxNameBytes = 64;

}  // namespace

bool IsUsername(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && text[0] != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  std::string_view("._-@+").find(c) != std::string_view::npos;
         });
}

}  // namespace carme
