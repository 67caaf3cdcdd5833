#include "backend/slurm/gres.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

using Gpus = std::map<std::string, int>;

TEST_CASE("gres: what is no count of GPUs is left out", "[backend]") {
  for (const char* text :
       {"", "(null)", "gpu", "gpu:", "gpu:x", "gpu:h200:", "gpu:h200:-1",
        "gpu:h200:99999999999", "gpux:2", "nic:mlx5:2", "shard:8", "gpu:2)",
        ")", "(", "gpu:2(S:0", ",,,"}) {
    INFO(text);
    CHECK(ParseGpus(text).empty());
  }
}

TEST_CASE("gres: reads what a node has", "[backend]") {
  CHECK(ParseGpus("gpu:2") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:h200:2(S:0-1)") == Gpus{{"h200", 2}});
  CHECK(ParseGpus("gpu:h200:2,gpu:a100:4(S:1),nic:1") ==
        Gpus{{"a100", 4}, {"h200", 2}});
  CHECK(ParseGpus("gpu:1g.5gb:7(S:0),gpu:3g.20gb:2(S:0)") ==
        Gpus{{"1g.5gb", 7}, {"3g.20gb", 2}});
  CHECK(ParseGpus("gpu:a100:1,gpu:a100:1") == Gpus{{"a100", 2}});
}

TEST_CASE("gres: reads what of it is used", "[backend]") {
  CHECK(ParseGpus("gpu:h200:0(IDX:N/A)") == Gpus{{"h200", 0}});
  CHECK(ParseGpus("gpu:a100:3(IDX:0,2-3),gpu:h200:1(IDX:0)") ==
        Gpus{{"a100", 3}, {"h200", 1}});
  CHECK(ParseGpus("gpu:(null):2(IDX:0-1)") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:(null):0(IDX:N/A),nic:mlx:1") == Gpus{{"gpu", 0}});
}

}  // namespace
}  // namespace carme
