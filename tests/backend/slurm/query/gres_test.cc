#include "backend/slurm/query/gres.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace carme::backend {
namespace {

using Gpus = std::map<std::string, int>;

TEST_CASE("gres: ignores parts that are not counts of GPUs", "[backend]") {
  for (const char* text : {"",
                           "(null)",
                           "gpu:",
                           "gpu:h200:",
                           "gpu:h200:-1",
                           "gpu:h200:+1",
                           "gpu:h200:99999999999",
                           "gpu:64K",
                           "gpu:h200:1X",
                           "gpux:2",
                           "nic:mlx5:2",
                           "shard:8",
                           "shard:h200:4(0/4,2/4)",
                           "mps:400(S:0)",
                           "gpu:2)",
                           ")",
                           "(",
                           "gpu:2(S:0",
                           "gpu: 2",
                           "gpu:1g.5gb",
                           ",,,"}) {
    INFO(text);
    CHECK(ParseGpus(text).empty());
  }
}

TEST_CASE("gres: reads the GPUs of a node", "[backend]") {
  CHECK(ParseGpus("gpu:2") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:2(S:0)") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:h200:2(S:0-1)") == Gpus{{"h200", 2}});
  CHECK(ParseGpus("gpu:h200:2,gpu:a100:4(S:1),nic:1") ==
        Gpus{{"a100", 4}, {"h200", 2}});
  CHECK(ParseGpus("gpu:1g.5gb:7(S:0),gpu:3g.20gb:2(S:0)") ==
        Gpus{{"1g.5gb", 7}, {"3g.20gb", 2}});
  CHECK(ParseGpus("gpu:a100:1,gpu:a100:1") == Gpus{{"a100", 2}});
  CHECK(ParseGpus("gpu:h200:4(S:0-1,3),shard:h200:16(S:0-1,3)") ==
        Gpus{{"h200", 4}});
}

TEST_CASE("gres: reads slurm.conf's text of an unregistered node",
          "[backend]") {
  CHECK(ParseGpus("gpu") == Gpus{{"gpu", 1}});
  CHECK(ParseGpus("gpu:tesla") == Gpus{{"tesla", 1}});
  CHECK(ParseGpus("gpu:tesla,gpu:kepler:3,bandwidth:lustre:no_consume:4G") ==
        Gpus{{"kepler", 3}, {"tesla", 1}});
  CHECK(ParseGpus("gpu:no_consume:2") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:tesla:no_consume:2") == Gpus{{"tesla", 2}});
  CHECK(ParseGpus("gpu:1K") == Gpus{{"gpu", 1024}});
  CHECK(ParseGpus("gpu:tesla:2k") == Gpus{{"tesla", 2048}});
}

TEST_CASE("gres: reads the used GPUs of a node", "[backend]") {
  CHECK(ParseGpus("gpu:h200:0(IDX:N/A)") == Gpus{{"h200", 0}});
  CHECK(ParseGpus("gpu:a100:3(IDX:0,2-3),gpu:h200:1(IDX:0)") ==
        Gpus{{"a100", 3}, {"h200", 1}});
  CHECK(ParseGpus("gpu:a100:2(IDX:0,3)") == Gpus{{"a100", 2}});
  CHECK(ParseGpus("gpu:(null):2(IDX:0-1)") == Gpus{{"gpu", 2}});
  CHECK(ParseGpus("gpu:(null):0(IDX:N/A),nic:mlx:1") == Gpus{{"gpu", 0}});
  CHECK(ParseGpus("gpu:h200:0(IDX:N/A),shard:h200:3(1/4,2/4)") ==
        Gpus{{"h200", 0}});
}

// Every form that Slurm writes, put together at random from a seed: what went
// in comes out.
TEST_CASE("gres: reads every form that Slurm writes", "[backend]") {
  std::mt19937 random(20261122);
  const auto below = [&](unsigned limit) {
    return static_cast<int>(random() % limit);
  };
  const std::vector<std::string> types = {
      "", "(null)", "h200", "a100", "1g.5gb", "tesla_k80", "rtx-6000"};
  const std::vector<std::string> details = {
      "", "(S:0)", "(S:0-1)", "(S:0,2-3)", "(IDX:N/A)", "(IDX:0,2-3,7)"};
  const std::vector<std::string> others = {"nic:2", "shard:h200:4(0/4,2/4)",
                                           "mps:100", "craynetwork:4"};
  for (int round = 0; round < 2000; ++round) {
    Gpus wanted;
    std::string text;
    for (int parts = below(6); parts >= 0; --parts) {
      if (!text.empty()) text += ",";
      if (below(3) == 0) {
        text += others[static_cast<size_t>(below(4))];
        continue;
      }
      const std::string& type = types[static_cast<size_t>(below(7))];
      const int count = below(17);
      wanted[type.empty() || type == "(null)" ? "gpu" : type] += count;
      text += "gpu:" + type + (type.empty() ? "" : ":") +
              std::to_string(count) + details[static_cast<size_t>(below(6))];
    }
    INFO(text);
    CHECK(ParseGpus(text) == wanted);
  }
}

}  // namespace
}  // namespace carme::backend
