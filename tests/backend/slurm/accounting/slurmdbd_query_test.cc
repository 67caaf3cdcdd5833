#include "backend/slurm/accounting/slurmdbd_query.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

const std::map<int64_t, std::string> kNames = {{1, "cpu"},
                                               {2, "mem"},
                                               {4, "node"},
                                               {1001, "gres/gpu"},
                                               {1002, "gres/gpu:h200"},
                                               {1003, "gres/gpu:a100"},
                                               {1004, "gres/nic"},
                                               {1005, "gres/gpumem"}};

AccountedRun Read(const std::string& tres) {
  AccountedRun run;
  ReadTres(tres, kNames, &run);
  return run;
}

TEST_CASE("tres: ignores invalid parts", "[backend]") {
  for (const char* text :
       {"", ",", "=", "1001", "1001=", "=3", "1001=x", "1001=-2", "99=5",
        "1001=99999999999999999999", "1005=7,1004=2"}) {
    CAPTURE(text);
    const AccountedRun run = Read(text);
    CHECK(run.gpus == 0);
    CHECK(run.cpus == 0);
    CHECK(run.gpu_types.empty());
  }
}

TEST_CASE("tres: CPUs, GPUs and their types", "[backend]") {
  const AccountedRun run = Read("1=4,2=512,4=2,1001=3,1002=1,1003=2");
  CHECK(run.cpus == 4);
  CHECK(run.gpus == 3);
  CHECK(run.gpu_types == std::vector<std::string>{"h200", "a100"});
  CHECK(Read("1001=3").gpus == 3);
  CHECK(Read("1001=3").gpu_types.empty());
}

TEST_CASE("tres: a site that counts GPUs by type alone", "[backend]") {
  const AccountedRun run = Read("1002=2,1003=1");
  CHECK(run.gpus == 3);
}

}  // namespace
}  // namespace carme::backend
