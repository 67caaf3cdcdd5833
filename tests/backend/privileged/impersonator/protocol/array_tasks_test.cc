#include <catch2/catch.hpp>

#include "backend/privileged/impersonator/protocol/request.h"

namespace carme::impersonator {
namespace {

TEST_CASE("array tasks: refuses text that Slurm may read differently",
          "[backend]") {
  for (const char* text : {"",
                           "x",
                           ",",
                           "1,",
                           ",1",
                           "1,,2",
                           "-1",
                           "1-",
                           "3-1",
                           "1-9:",
                           "1-9:0",
                           "5:2",
                           "1-9:2:2",
                           "0-9%",
                           "%4",
                           "0-9%0",
                           "0-9%-1",
                           "0-9%2%2",
                           "0-9%4,5",
                           " 1",
                           "1 ",
                           "+1",
                           "0x1",
                           "[0-3]",
                           "1-2-3",
                           "4000001",
                           "0-4294967296",
                           "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(CountArrayTasks(text).has_value());
  }
}

TEST_CASE("array tasks: counts each task", "[backend]") {
  CHECK(CountArrayTasks("0") == 1);
  CHECK(CountArrayTasks("0-9") == 10);
  CHECK(CountArrayTasks("0-9%2") == 10);
  CHECK(CountArrayTasks("1,3,5") == 3);
  CHECK(CountArrayTasks("0-9:3") == 4);
  CHECK(CountArrayTasks("0-9:3,20,30-31%4") == 7);
  CHECK(CountArrayTasks("0-4000000") == 4'000'001);
  CHECK(CountArrayTasks("5,5,0-9") == 12);  // at the most
}

}  // namespace
}  // namespace carme::impersonator
