#include "slurm-hooks/vet/config/vet_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "slurm-hooks/vet/config/quantity.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

std::string Error(const std::string& text) {
  const auto parsed = ParseVetConfig(text, "v.yaml");
  return parsed.ok() ? "accepted" : std::string(parsed.status().message());
}

// A configuration of one evaluation, from line 3.
std::string ErrorOf(const std::string& evaluation) {
  return Error("name: x\nevals:\n" + evaluation);
}

TEST_CASE("vet config: refuses an unknown type or key, with its line",
          "[vet]") {
  CHECK(ErrorOf("- name: a\n  type: os.system\n")
            .starts_with("v.yaml:4: unknown type \"os.system\": expected env, "
                         "tcp, filesystem, "));
  CHECK(ErrorOf("- name: a\n  type: filesystem\n  path: /\n  min_fre: 1\n")
            .starts_with("v.yaml:6: unknown key \"min_fre\": expected path, "));
  CHECK(Error("name: x\nevals: [{name: a, type: cpu}]\nfoo: 1\n") ==
        "v.yaml:3: unknown key \"foo\": expected name, evals, scheduler, pip");
  CHECK(ErrorOf("- name: a\n  type: nccl\n  warmup: {runz: 1}\n")
            .starts_with("v.yaml:5: unknown key \"warmup.runz\""));
}

TEST_CASE("vet config: refuses a value that it cannot read", "[vet]") {
  CHECK(
      ErrorOf("- name: a\n  type: links\n  min_bandwidth: fast\n") ==
      "v.yaml:5: \"min_bandwidth\" is \"fast\": expected bytes a second, such "
      "as 15 GB/s");
  CHECK(ErrorOf("- name: a\n  type: cpu\n  count: 1.5\n") ==
        "v.yaml:5: \"count\" is \"1.5\": expected a whole number");
  CHECK(ErrorOf("- name: a\n  type: cpu\n  count: [1]\n") ==
        "v.yaml:5: \"count\": expected a whole number");
  CHECK(ErrorOf("- name: a\n  type: cpu\n  timeout: 0\n")
            .starts_with("v.yaml:5: \"timeout\" is \"0\""));
  CHECK(ErrorOf("- name: a\n  type: cpu\n  optional: maybe\n") ==
        "v.yaml:5: \"optional\" is \"maybe\": expected true or false");
  CHECK(ErrorOf("- name: a\n  type: env\n  expected: [A]\n")
            .starts_with("v.yaml:5: \"expected\": expected a map"));
}

TEST_CASE("vet config: refuses an unknown topology, with its line", "[vet]") {
  CHECK(ErrorOf("- name: a\n  type: nccl\n  topology: mesh\n") ==
        "v.yaml:5: \"topology\" is \"mesh\": expected intranode, internode or "
        "full");
  CHECK(ErrorOf("- name: a\n"
                "  type: vetnode.evaluations.nccl_lib_eval.NcclLibEval\n"
                "  topology: [full]\n") ==
        "v.yaml:5: \"topology\": expected intranode, internode or full");
  CHECK(ErrorOf("- name: a\n  type: links\n  topology: full\n")
            .starts_with("v.yaml:5: unknown key \"topology\""));
}

TEST_CASE("vet config: refuses limits of pairs that are not measured",
          "[vet]") {
  for (const char* key : {"max_rounds", "min_ratio", "max_latency"}) {
    INFO(key);
    const std::string limit = std::string(key) + ": 1\n";
    const std::string expected = "v.yaml:5: \"" + std::string(key) +
                                 "\" needs topology internode or full";
    CHECK(ErrorOf("- name: a\n  type: nccl\n  " + limit) == expected);
    CHECK(ErrorOf("- name: a\n  type: nccl\n  " + limit +
                  "  topology: intranode\n") == expected);
    for (const char* topology : {"internode", "full"}) {
      CHECK(ErrorOf("- name: a\n  type: nccl\n  " + limit +
                    "  topology: " + topology + "\n") == "accepted");
    }
  }
}

TEST_CASE("vet config: refuses a file that checks nothing", "[vet]") {
  CHECK(Error("name: x\n") == "v.yaml:1: key \"evals\" of the file is missing");
  CHECK(Error("name: x\nevals: []\n") ==
        "v.yaml:2: \"evals\" is empty: nothing would be checked");
  CHECK(Error("evals: [{name: a, type: cpu}]\n") ==
        "v.yaml:1: key \"name\" of the file is missing");
  CHECK(ErrorOf("- type: cpu\n") ==
        "v.yaml:3: key \"name\" of an evaluation is missing");
  CHECK(ErrorOf("- name: a\n") == "v.yaml:3: key \"type\" of a is missing");
  CHECK(ErrorOf("- name: a\n  type: tcp\n") ==
        "v.yaml:3: key \"host\" of a is missing");
  CHECK(Error("- a\n") == "v.yaml:1: the file: expected a map");
  CHECK(Error("name: x\nscheduler: pbs\nevals: [{name: a, type: cpu}]\n") ==
        "v.yaml:2: \"scheduler\" is \"pbs\": expected slurm or standalone");
  std::string many;
  for (size_t i = 0; i <= kMaxEvaluations; ++i)
    many += "- {name: a, type: cpu}\n";
  CHECK(ErrorOf(many) == "v.yaml:3: \"evals\" has more than 200 evaluations");
}

TEST_CASE("vet config: a name that reorders a terminal is refused", "[vet]") {
  CHECK(Error("name: \"a\\e[2J\"\nevals: [{name: a, type: cpu}]\n") ==
        "v.yaml:1: \"name\" has characters that cannot be shown");
}

TEST_CASE("vet config: accepts vetnode's configurations", "[vet]") {
  const auto parsed = ParseVetConfig(
      "name: ML\nscheduler: slurm\npip:\n  index_url: https://example.org\n"
      "evals:\n"
      "- name: Kernel\n  type: vetnode.evaluations.cuda_eval.CUDAEval\n"
      "  cuda_home: /usr/local/cuda \n"
      "  requirements:\n    - cuda-python==13.*\n    - [torch, --index-url, "
      "x]\n"
      "- name: GPU\n  type: vetnode.evaluations.gpu_eval.GPUEval\n"
      "  max_temp:  30\n  max_used_memory: 0.2\n"
      "- name: NCCL\n  type: vetnode.evaluations.nccl_lib_eval.NcclLibEval\n"
      "  topology: intranode\n  scheduler: slurm\n  payload: 8 GB\n"
      "  method: allreduce\n  min_bandwidth: 200 GB/s\n"
      "  warmup:\n    payload: 256 MB\n    runs: 2\n"
      "  requirements: [\"cuda-python\",\"numpy\"]\n"
      "- name: Web\n"
      "  type: vetnode.evaluations.internet_access.InternetAccessEval\n"
      "  host: example.org\n  port: 443\n  timeout: 3\n"
      "- name: Env\n  type: vetnode.evaluations.env_var_eval.EnvVarEval\n"
      "  expected:\n    A: \"x\"\n    B: null\n"
      "- name: Random\n  type: vetnode.evaluations.random.RandomEval\n",
      "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  REQUIRE(parsed->evaluations.size() == 6);
  CHECK(parsed->evaluations[0].type->name == "gpu_compute");
  CHECK(parsed->evaluations[1].parameters.Number("max_used_memory") == 0.2);
  const Evaluation& nccl = parsed->evaluations[2];
  CHECK(nccl.parameters.Number("payload") == 8 * kGib);
  CHECK(nccl.parameters.Number("min_bandwidth") == 200 * kGib);
  CHECK(nccl.parameters.Number("warmup.runs") == 2);
  CHECK(IsMeasuredWithinNode(nccl));
  CHECK_FALSE(IsMeasuredBetweenNodes(nccl));
  CHECK(parsed->evaluations[3].timeout == absl::Seconds(3));
  const Variables expected = parsed->evaluations[4].parameters.Map("expected");
  CHECK(expected.at("A") == "x");
  CHECK_FALSE(expected.at("B").has_value());
  REQUIRE(parsed->notes.size() == 5);
  CHECK(parsed->notes[0] ==
        "v.yaml:4: note: \"pip\" is ignored: Carme installs no packages");
}

TEST_CASE("vet config: accepts vetnode's older dialects", "[vet]") {
  const auto parsed = ParseVetConfig(
      "name: Old\nevals:\n"
      "- name: NCCL\n  type: vetnode.evaluations.nccl_eval.NCCLEval\n"
      "  payload: 2 GB\n  method: roundrobin\n  min_bandwidth: 90.0\n"
      "- name: Pinger\n  type: ping-nodes\n"
      "- name: On-Web\n  type: internet-access\n  host:  8.8.8.8\n"
      "- name: Check GPU\n  type: gpu-eval\n  max_temp:  80\n"
      "  max_used_memory: 256\n",
      "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  CHECK(parsed->evaluations[0].parameters.Number("min_bandwidth") == 90 * kGib);
  CHECK(IsMeasuredBetweenNodes(parsed->evaluations[0]));
  CHECK(parsed->evaluations[1].type->place == Place::kLinks);
}

TEST_CASE("vet config: vetnode's names have vetnode's defaults", "[vet]") {
  const std::pair<const char*, const char*> classes[] = {
      {"nccl_lib_eval.NcclLibEval", "allreduce"},
      {"rccl_lib_eval.RcclLibEval", "allreduce"},
      {"nccl_pytorch_eval.NcclPytorchEval", "broadcast"},
      {"nccl_eval.NCCLEval", "broadcast"}};
  for (const auto& [name, method] : classes) {
    INFO(name);
    const auto parsed =
        ParseVetConfig(std::string("name: x\nevals:\n- name: a\n"
                                   "  type: vetnode.evaluations.") +
                           name + "\n  warmup:\n    runs: 2\n",
                       "v.yaml");
    REQUIRE_THAT(parsed, IsOk());
    const Parameters& parameters = parsed->evaluations[0].parameters;
    CHECK(parameters.Text("topology") == kFull);
    CHECK(parameters.Text("method") == method);
    CHECK(parameters.Number("payload") == 4 * kGib);
    CHECK(parameters.Number("min_bandwidth") == 15 * kGib);
    CHECK(parameters.Number("warmup.payload") == kGib / 4);
    CHECK(parameters.Number("warmup.runs") == 2);  // of the file
  }
}

TEST_CASE("vet config: Carme's own names have no defaults of vetnode",
          "[vet]") {
  const auto parsed =
      ParseVetConfig("name: x\nevals:\n- {name: a, type: nccl}\n", "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  CHECK_FALSE(IsMeasuredBetweenNodes(parsed->evaluations[0]));
  CHECK_FALSE(parsed->evaluations[0].parameters.Number("min_bandwidth"));
  CHECK_FALSE(parsed->evaluations[0].parameters.Number("payload"));
}

// Of examples/slurm-ml-vetting/config.yaml.
TEST_CASE("vet config: a published broadcast is read as one", "[vet]") {
  const auto parsed = ParseVetConfig(
      "name: ML Vetting\nevals:\n- name: NCCL\n"
      "  type: vetnode.evaluations.nccl_pytorch_eval.NcclPytorchEval\n"
      "  scheduler: slurm\n  payload: 2 GB\n  method: broadcast\n"
      "  min_bandwidth: 20 GB/s\n  warmup:\n    payload: 256 MB\n"
      "    runs: 2\n  requirements:\n"
      "      - ['torch', '--index-url', "
      "'https://download.pytorch.org/whl/cu126']\n      - numpy",
      "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  const Evaluation& nccl = parsed->evaluations[0];
  CHECK(nccl.parameters.Text("method") == kBroadcast);
  CHECK(nccl.parameters.Number("payload") == 2 * kGib);
  CHECK(IsMeasuredWithinNode(nccl));
  CHECK(IsMeasuredBetweenNodes(nccl));
}

TEST_CASE("vet config: a topology is within a node, between nodes or both",
          "[vet]") {
  const auto parsed = ParseVetConfig(
      "name: x\nevals:\n- {name: a, type: nccl, topology: internode}\n"
      "- name: b\n  type: vetnode.evaluations.rccl_lib_eval.RcclLibEval\n"
      "  topology: full\n",
      "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  CHECK_FALSE(IsMeasuredWithinNode(parsed->evaluations[0]));
  CHECK(IsMeasuredBetweenNodes(parsed->evaluations[0]));
  CHECK(IsMeasuredWithinNode(parsed->evaluations[1]));
  CHECK(IsMeasuredBetweenNodes(parsed->evaluations[1]));
}

TEST_CASE("vet config: the built-in configuration is valid", "[vet]") {
  const auto parsed = ParseVetConfig(DefaultVetConfig(), "built-in");
  REQUIRE_THAT(parsed, IsOk());
  CHECK(parsed->notes.empty());
}

TEST_CASE("vet config: a default time-out yields to the file's", "[vet]") {
  const auto parsed = ParseVetConfig(
      "name: x\nevals:\n- {name: a, type: cpu}\n"
      "- {name: b, type: cpu, timeout: 500 ms}\n",
      "v.yaml", absl::Seconds(7));
  REQUIRE_THAT(parsed, IsOk());
  CHECK(parsed->evaluations[0].timeout == absl::Seconds(7));
  CHECK(parsed->evaluations[1].timeout == absl::Milliseconds(500));
}

TEST_CASE("vet quantity: refuses other units and numbers", "[vet]") {
  for (const char* text : {"", "GB", "-1 GB", "1 XB", "1 GB/s", "nan", "inf",
                           "1e999", "0x10", "1 GB GB"}) {
    INFO(text);
    CHECK_FALSE(ParseBytes(text).has_value());
  }
  CHECK_FALSE(ParseRate("15 GB").has_value());
  CHECK_FALSE(ParseSeconds("3 h").has_value());
  CHECK(ParseBytes("256 MB") == 256.0 * 1024 * 1024);
  CHECK(ParseBytes("256MiB") == 256.0 * 1024 * 1024);
  CHECK(ParseBytes("512") == 512);
  CHECK(ParseRate("1.5 GB/s") == 1.5 * kGib);
  CHECK(ParseSeconds("500 ms") == 0.5);
  CHECK(ParseSeconds("2min") == 120);
}

}  // namespace
}  // namespace carme::vet
