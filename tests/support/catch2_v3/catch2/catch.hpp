// The one header of Catch2's second version (Debian 12), for the third
// (Debian 13), which has many, and other names for some matchers.
#ifndef CARME_TESTS_SUPPORT_CATCH2_V3_CATCH2_CATCH_HPP_
#define CARME_TESTS_SUPPORT_CATCH2_V3_CATCH2_CATCH_HPP_

#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {

inline Matchers::StringContainsMatcher Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}
using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::VectorContains;

}  // namespace Catch

using Catch::Approx;

#endif  // CARME_TESTS_SUPPORT_CATCH2_V3_CATCH2_CATCH_HPP_
