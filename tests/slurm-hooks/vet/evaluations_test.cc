// Evaluations that fail, in this process.
#include "slurm-hooks/vet/evaluations/evaluations.h"

#include <stdlib.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/listen.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::vet {
namespace {

using Kind = Outcome::Kind;

Evaluation Parse(const std::string& keys) {
  const auto config =
      ParseVetConfig("name: x\nevals:\n- {name: e, " + keys + "}\n", "v.yaml");
  REQUIRE_THAT(config, IsOk());
  return config->evaluations[0];
}

Outcome Run(const std::string& keys) { return Evaluate(Parse(keys)); }

void Write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  REQUIRE_THAT(WriteFile(path, text, 0644), IsOk());
}

TEST_CASE("vet env: a missing and a different variable are named", "[vet]") {
  setenv("CARME_VET_TEST", "1", 1);
  const Outcome outcome =
      Run("type: env, expected: {CARME_VET_TEST: '2', CARME_VET_NONE: null}");
  CHECK(outcome.kind == Kind::kFailed);
  CHECK(outcome.reason ==
        "variable CARME_VET_NONE is not set; variable CARME_VET_TEST is \"1\": "
        "expected \"2\"");
  CHECK(outcome.metrics.at("missing") == 1);
  CHECK(outcome.metrics.at("mismatched") == 1);
  CHECK(Run("type: env, expected: {CARME_VET_TEST: null}").kind ==
        Kind::kPassed);
}

TEST_CASE("vet tcp: a port that is closed is named", "[vet]") {
  auto listener = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(listener, IsOk());
  const std::string keys = absl::StrCat("type: tcp, host: 127.0.0.1, port: ",
                                        *PortOf(listener->get()));
  CHECK(Run(keys).kind == Kind::kPassed);
  listener->reset();
  const Outcome outcome = Run(keys);
  CHECK(outcome.kind == Kind::kFailed);
  CHECK(outcome.reason.find("was not reached: Connection refused") !=
        std::string::npos);
}

TEST_CASE("vet dns: a wrong address and an unknown name fail", "[vet]") {
  CHECK(Run("type: dns, host: localhost, address: 192.0.2.1")
            .reason.starts_with("host name localhost resolves to "));
  CHECK(Run("type: dns, host: no.such.host.invalid").kind == Kind::kFailed);
  CHECK(Run("type: dns, host: localhost").kind == Kind::kPassed);
}

TEST_CASE("vet filesystem: what is missing, small, or no mount fails",
          "[vet]") {
  TempDir directory;
  const std::string path = "type: filesystem, path: " + directory.path();
  CHECK(Run(path + ", min_free: 1 KB").kind == Kind::kPassed);
  CHECK(std::filesystem::is_empty(directory.path()));
  CHECK(Run(path + ", mounted: true").reason ==
        "no file system is mounted at \"" + directory.path() + "\"");
  CHECK(Run(path + ", min_free: 900000 TB")
            .reason.find("free: expected at least") != std::string::npos);
  CHECK(Run(path + ", fstype: lustre").reason.find("expected lustre") !=
        std::string::npos);
  CHECK(Run(path + "/none").reason.find("No such file") != std::string::npos);
  CHECK(Run("type: filesystem, path: /proc, writable: false").kind ==
        Kind::kPassed);
  CHECK(Run("type: filesystem, path: /proc").kind == Kind::kFailed);
  CHECK(Run(path + ", max_latency: 0.000001 us")
            .reason.starts_with("access to "));
}

TEST_CASE("vet memory: too little is named, and an unreadable node no success",
          "[vet]") {
  TempDir root;
  const Evaluation evaluation =
      Parse("type: memory, min_total: 4 GB, min_available: 1 GB");
  CHECK(EvaluateMemory(evaluation, root.path()).kind == Kind::kError);
  Write(root.File("proc/meminfo"),
        "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable: 524288 kB\n");
  const Outcome outcome = EvaluateMemory(evaluation, root.path());
  CHECK(outcome.kind == Kind::kFailed);
  CHECK(outcome.reason ==
        "available memory is 512 MiB: expected at least 1 GiB");
}

TEST_CASE("vet ecc: uncorrected errors fail, absent counters are skipped",
          "[vet]") {
  TempDir root;
  CHECK(EvaluateEcc(Parse("type: ecc"), root.path()).kind == Kind::kSkipped);
  CHECK(EvaluateEcc(Parse("type: ecc, required: true"), root.path()).kind ==
        Kind::kError);
  const std::string controller = "sys/devices/system/edac/mc/mc0/";
  Write(root.File(controller + "ce_count"), "7\n");
  Write(root.File(controller + "ue_count"), "0\n");
  CHECK(EvaluateEcc(Parse("type: ecc"), root.path()).kind == Kind::kPassed);
  CHECK(EvaluateEcc(Parse("type: ecc, max_corrected: 6"), root.path()).reason ==
        "the number of corrected memory errors is 7: expected at most 6");
  Write(root.File(controller + "ue_count"), "1\n");
  CHECK(EvaluateEcc(Parse("type: ecc"), root.path()).reason ==
        "the number of uncorrected memory errors is 1: expected at most 0");
}

TEST_CASE("vet cpu: a missing CPU and a slow clock fail", "[vet]") {
  TempDir root;
  std::string info;
  for (int cpu = 0; cpu < 64; ++cpu) {
    info += absl::StrCat("processor\t: ", cpu, "\ncpu MHz\t\t: 800.0\n\n");
  }
  Write(root.File("proc/cpuinfo"), info);
  CHECK(EvaluateCpu(Parse("type: cpu, count: 64"), root.path()).kind ==
        Kind::kPassed);
  CHECK(EvaluateCpu(Parse("type: cpu, count: 128"), root.path()).reason ==
        "the number of CPUs is 64: expected 128");
  CHECK(EvaluateCpu(Parse("type: cpu, min_clock_mhz: 2000"), root.path())
            .reason.find("is 800: expected at least 2000") !=
        std::string::npos);
}

TEST_CASE("vet user: an unknown name and another id fail", "[vet]") {
  CHECK(Run("type: user, user: root, uid: 0").kind == Kind::kPassed);
  CHECK(Run("type: user, user: root, uid: 5").reason ==
        "user root has the id 0: expected 5");
  CHECK(Run("type: user, user: carme-no-such-user")
            .reason.starts_with(
                "user carme-no-such-user is not in the user database"));
}

TEST_CASE("vet command: an exit code, a signal and no program fail", "[vet]") {
  CHECK(Run("type: command, command: 'echo a; exit 0', output: a").kind ==
        Kind::kPassed);
  CHECK(Run("type: command, command: 'exit 0', output: b").kind ==
        Kind::kFailed);
  CHECK(Run("type: command, command: [sh, -c, 'echo sick; exit 3']")
            .reason.find("exit code 3: sick") != std::string::npos);
  CHECK(Run("type: command, command: 'kill -9 $$'")
            .reason.find("ended by signal 9") != std::string::npos);
  CHECK(Run("type: command, command: [/no/such/program]").kind == Kind::kError);
}

TEST_CASE("vet image: a file that is no image fails", "[vet]") {
  TempDir directory;
  Write(directory.File("a"), std::string(4096, 'x'));
  CHECK(Run("type: image, path: " + directory.File("a"))
            .reason.find("neither SquashFS nor SIF") != std::string::npos);
  CHECK(Run("type: image, path: /none").kind == Kind::kFailed);
}

TEST_CASE("vet compute: measures, and fails below a limit", "[vet]") {
  const Outcome outcome =
      Run("type: compute, duration: 20 ms, min_cpu: 1000000");
  CHECK(outcome.kind == Kind::kFailed);
  CHECK(outcome.metrics.at("cpu_gflops") > 0.01);
  CHECK(outcome.metrics.at("memory_bytes_per_second") > 1e7);
}

}  // namespace
}  // namespace carme::vet
