#include "slurm-hooks/gssr/record_files.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

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

StepFacts FactsOf(const std::map<std::string, std::string>& variables) {
  return ReadStepFacts(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(std::string(name));
        if (found == variables.end()) return std::nullopt;
        return found->second;
      });
}

TEST_CASE("gssr files: outside Slurm the job is that of gssr-record",
          "[gssr]") {
  const StepFacts facts = FactsOf({{"SLURM_JOB_NAME", "stray"}});
  CHECK(facts.cluster == "nocluster");
  CHECK(facts.job_name == "nojobname");
  CHECK(facts.job_id == "0");
  CHECK(facts.nodes == "1");
  CHECK(facts.gpus == "0");
}

TEST_CASE("gssr files: the GPUs are those of the node, however requested",
          "[gssr]") {
  const StepFacts facts = FactsOf({{"SLURM_JOB_ID", "17"},
                                   {"SLURM_JOB_NAME", "train"},
                                   {"SLURM_JOB_NUM_NODES", "2"},
                                   {"SLURM_GPUS_ON_NODE", "4"}});
  CHECK(facts.gpus == "4");
  CHECK(facts.nodes == "2");
  CHECK(facts.job_name == "train");
}

TEST_CASE("gssr files: a second recording of a step keeps the first",
          "[gssr]") {
  const TempDir directory;
  const StepFacts facts;
  for (const char* const folder :
       {"/nocluster_0/step_0", "/run_2/nocluster_0/step_0",
        "/run_3/nocluster_0/step_0"}) {
    auto files = RecordFiles::Create(directory.path(), facts);
    REQUIRE_THAT(files, IsOk());
    CHECK(files->folder() == directory.path() + folder);
    REQUIRE_THAT(files->OpenCsv(), IsOk());
    REQUIRE_THAT(files->Append(folder), IsOk());
  }
  const auto first =
      ReadFile(directory.path() + "/nocluster_0/step_0/proc_0.csv");
  REQUIRE_THAT(first, IsOk());
  CHECK(*first == "/nocluster_0/step_0");
}

TEST_CASE("gssr files: two recordings at once do not share a file", "[gssr]") {
  const TempDir directory;
  auto one = RecordFiles::Create(directory.path(), StepFacts());
  auto other = RecordFiles::Create(directory.path(), StepFacts());
  REQUIRE_THAT(one, IsOk());
  REQUIRE_THAT(other, IsOk());
  CHECK_THAT(one->OpenCsv(), IsOk());
  CHECK_THAT(other->OpenCsv(),
             StatusIs(absl::StatusCode::kAlreadyExists, "proc_0.csv"));
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
