// What srun, sbatch and salloc do with --environment, in a real Slurm that has
// the plugin, and what a node refuses.
#include <catch2/catch.hpp>
#include <string>

#include "tests/slurm-hooks/spank/user_shell.h"

namespace carme {
namespace {

TEST_CASE("srun --environment: reports an error before anything runs",
          "[edf]") {
  WriteJob("image = 1\nmounts = [\"a\", 2]\n");
  for (const std::string command :
       {"srun hostname", "sbatch --wrap=hostname", "salloc hostname"}) {
    INFO(command);
    const Ran ran = AsAda("CARME_ENVIRONMENT=./job.toml " + command);
    INFO(ran.text);
    CHECK(ran.code != 0);
    CHECK(Contains(ran.text,
                   "1. Error 004: /home/ada/job.toml:1: \"image\" is an "
                   "integer, 1: expected a string"));
    CHECK(Contains(ran.text, "2. Error 004: "));
    CHECK(Contains(ran.text, "--environment: \"./job.toml\" is refused"));
  }
  CHECK(AsAda("squeue -h").text.empty());
}

TEST_CASE("srun --environment: a task is refused, and the node stays up",
          "[edf]") {
  WriteJob("image = \"ubuntu\"\n");
  for (const char* choice :
       {"srun --environment=./job.toml", "srun --edf=./job.toml",
        "CARME_ENVIRONMENT=./job.toml srun",
        "srun --export=NONE --environment=./job.toml"}) {
    INFO(choice);
    const Ran ran = AsAda(std::string(choice) + " echo it-ran");
    INFO(ran.text);
    CHECK(ran.code != 0);
    CHECK(Contains(ran.text,
                   "--environment: image \"ubuntu\" is not on this node, and "
                   "nodes fetch no images: expected \"ubuntu+latest.sqsh\" in "
                   "\"/etc/carme-site/images\""));
    CHECK_FALSE(Contains(ran.text, "it-ran"));
  }
  CheckNodesStayUp();
}

TEST_CASE("sbatch --environment: the script is refused, the node stays up",
          "[edf]") {
  WriteJob("image = \"ubuntu\"\n");
  REQUIRE(AsAda("printf \"#!/bin/sh\\n#SBATCH --environment=./job.toml\\n"
                "echo it-ran\\n\" > batch.sh")
              .code == 0);
  for (const std::string what :
       {"--environment=./job.toml --wrap=\"echo it-ran\"", "batch.sh"}) {
    INFO(what);
    const Ran ran = AsAda("sbatch -Q -W -o batch.log " + what +
                          "; echo code $?; cat batch.log");
    INFO(ran.text);
    CHECK(Contains(ran.text, "image \"ubuntu\" is not on this node"));
    CHECK_FALSE(Contains(ran.text, "code 0"));
    CHECK_FALSE(Contains(ran.text, "it-ran"));
  }
  CheckNodesStayUp();
}

TEST_CASE("srun: without an environment all is as before", "[edf]") {
  const Ran ran = AsAda("srun printenv SLURM_EDF_EXPANDED; srun echo it-ran");
  CHECK(Contains(ran.text, "it-ran\n"));
  CHECK_FALSE(Contains(ran.text, "image"));
  CHECK(Contains(AsAda("srun --help").text, "--environment=ENVIRONMENT"));
}

}  // namespace
}  // namespace carme
