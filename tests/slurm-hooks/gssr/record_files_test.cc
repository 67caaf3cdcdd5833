#include "slurm-hooks/gssr/record_files.h"

#include <catch2/catch.hpp>

namespace carme::gssr {
namespace {

TEST_CASE("gssr files: a hostile job id does not leave the folder", "[gssr]") {
  const StepFacts facts =
      ReadStepFacts([](std::string_view name) -> std::optional<std::string> {
        if (name == "SLURM_JOB_ID") return "../../etc";
        return std::nullopt;
      });
  CHECK(facts.job_id == "0");
  CHECK(facts.cluster == "nocluster");
}

TEST_CASE("gssr files: meta.txt is that of gssr-record 2.1", "[gssr]") {
  StepFacts facts;
  facts.cluster = "alps";
  facts.job_id = "17";
  facts.job_name = "say \"hi\"";
  facts.nodes = facts.tasks = facts.step_nodes = facts.step_tasks = "1";
  facts.gpus = "4";
  CHECK(FormatMeta(facts, {"bash", "-c", "a\nb"}, absl::UnixEpoch(),
                   absl::UTCTimeZone()) ==
        "{\n"
        "    \"gssr-record-version\": \"2.1\",\n"
        "    \"date\": \"1970-01-01T00:00:00+0000\",\n"
        "    \"cluster\": \"alps\",\n"
        "    \"jobid\": \"17\",\n"
        "    \"jobname\": \"say \\\"hi\\\"\",\n"
        "    \"nnodes\": \"1\",\n"
        "    \"ntasks\": \"1\",\n"
        "    \"ngpus\": \"4\",\n"
        "    \"step_nnodes\": \"1\",\n"
        "    \"step_ntasks\": \"1\",\n"
        "    \"executable\": \"bash\",\n"
        "    \"arguments\": [\"-c\", \"a\\nb\"]\n"
        "}\n");
}

}  // namespace
}  // namespace carme::gssr
