#include "common/ids.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("job id: refuses invalid DNS labels", "[common]") {
  CHECK_FALSE(IsJobId(""));
  CHECK_FALSE(IsJobId("abcdefghijklmno"));    // 15
  CHECK_FALSE(IsJobId("abcdefghijklmnopq"));  // 17
  CHECK_FALSE(IsJobId("1bcdefghijklmnop"));
  CHECK_FALSE(IsJobId("Abcdefghijklmnop"));
  CHECK_FALSE(IsJobId("abcdefgh-jklmnop"));
  CHECK_FALSE(IsJobId("abcdefgh.jklmnop"));
}

TEST_CASE("job id: new ones are valid and differ", "[common]") {
  JobId last;
  for (int i = 0; i < 200; ++i) {
    const JobId id = NewJobId();
    CHECK(IsJobId(id.value()));
    CHECK_FALSE(id == last);
    last = id;
  }
}

TEST_CASE("request id: new ones are 16 hexadecimal digits and differ",
          "[common]") {
  std::string last;
  for (int i = 0; i < 600; ++i) {
    const std::string id = NewRequestId();
    CHECK(id.size() == 16);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(id != last);
    last = id;
  }
}

}  // namespace
}  // namespace carme
