#include "slurm-hooks/agent/environment/edf_environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/edf/render.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

// A node, with a home and a runtime directory that are there.
struct Node {
  Node() {
    for (const char* name : {"home", "run"}) {
      std::filesystem::create_directory(dir.File(name));
    }
    facts = {.apptainer = "",
             .srun = "/usr/bin/srun",
             .node = "n1",
             .programs = "/opt/carme/libexec/carme",
             .directory = dir.File("run"),
             .scratch = "/scratch/7",
             .home = dir.File("home"),
             .nvidia = false,
             .devices = {}};
  }
  absl::Status Write(const EnvironmentPlan& plan,
                     const std::vector<std::string>& variables = {}) const {
    return WriteJobEdf(plan, facts, variables, dir.File("digests"));
  }
  Edf Written() const {
    const auto text = ReadFile(EdfFile(facts));
    REQUIRE_THAT(text, IsOk());
    const EdfResult read = ReadRenderedEdf(*text);
    REQUIRE(read.edf);
    return *read.edf;
  }
  TempDir dir;
  EnvironmentFacts facts;
};

EnvironmentPlan Rendered(const std::string& text) {
  EnvironmentPlan plan;
  plan.runtime = v1::RUNTIME_EDF;
  plan.name = "torch";
  plan.edf = text;
  return plan;
}

EnvironmentPlan File(const std::string& path) {
  EnvironmentPlan plan;
  plan.runtime = v1::RUNTIME_EDF;
  plan.name = path;
  plan.edf_path = path;
  return plan;
}

std::vector<std::string> MountsOf(const Edf& edf) {
  std::vector<std::string> texts;
  for (const EdfMount& mount : edf.mounts) texts.push_back(MountText(mount));
  return texts;
}

TEST_CASE("edf: refuses a missing file in one line", "[agent]") {
  const Node node;
  const absl::Status refused = node.Write(File("~/job.toml"));
  CHECK(absl::IsInvalidArgument(refused));
  CHECK(refused.message() ==
        absl::StrCat("environment \"~/job.toml\": Error 006: environment \"",
                     node.facts.home, "/job.toml\" not found at \"",
                     node.facts.home, "/job.toml\""));
  CHECK_FALSE(std::filesystem::exists(EdfFile(node.facts)));
}

TEST_CASE("edf: refuses an invalid file with its first error and line",
          "[agent]") {
  const Node node;
  REQUIRE_THAT(WriteFile(node.facts.home + "/job.toml",
                         "image = \"/i.sqsh\"\nworkdir = \"/${PROJECT}\"\n"
                         "writable = \"yes\"\nentrypoint = 1\n",
                         0600),
               IsOk());
  const std::string why(node.Write(File("~/job.toml")).message());
  CHECK(absl::StrContains(why, "/home/job.toml:3: \"writable\""));
  CHECK(absl::EndsWith(why, "(and 1 more)"));
}

TEST_CASE("edf: an image with another digest is refused", "[agent]") {
  const Node node;
  const std::string image = node.dir.File("image.sqsh");
  REQUIRE_THAT(WriteFile(image, "an image", 0600), IsOk());
  EnvironmentPlan plan = Rendered(absl::StrCat("image = \"", image, "\""));
  plan.sha256 = std::string(64, 'a');
  CHECK(absl::IsFailedPrecondition(node.Write(plan)));
  CHECK_FALSE(std::filesystem::exists(EdfFile(node.facts)));
  plan.sha256.clear();  // the backend does not know it
  CHECK_THAT(node.Write(plan), IsOk());
}

TEST_CASE("edf: a shared image that others can write is refused", "[agent]") {
  const Node node;
  std::filesystem::create_directory(node.dir.File("store"));
  const std::string store = node.dir.File("store");
  const std::string image = store + "/image.sif";
  REQUIRE_THAT(WriteFile(image, "an image", 0444), IsOk());
  EnvironmentPlan plan = Rendered(absl::StrCat("image = \"", image, "\""));
  plan.store_uid = geteuid() + 1;
  CHECK(absl::IsFailedPrecondition(node.Write(plan)));
  plan.store_uid = geteuid();
  REQUIRE(chmod(store.c_str(), 01733) == 0);
  CHECK(absl::IsFailedPrecondition(node.Write(plan)));
  CHECK_FALSE(std::filesystem::exists(EdfFile(node.facts)));
  REQUIRE(chmod(store.c_str(), 0711) == 0);
  CHECK_THAT(node.Write(plan), IsOk());
}

TEST_CASE("edf: a file in the home can use the job's variables and other files",
          "[agent]") {
  const Node node;
  std::filesystem::create_directory(node.facts.home + "/.edf");
  REQUIRE_THAT(
      WriteFile(node.facts.home + "/.edf/base.toml",
                "image = \"/i.sqsh\"\nenv.JOB = \"${SLURM_JOB_ID}\"\n", 0600),
      IsOk());
  REQUIRE_THAT(
      WriteFile(node.facts.home + "/job.toml",
                "base_environment = \"base\"\nworkdir = \"./work\"\n", 0600),
      IsOk());
  const std::vector<std::string> variables = {"SLURM_JOB_ID=7", "HOME=/else"};
  for (const std::string& path :
       {std::string("~/job.toml"), node.facts.home + "/job.toml"}) {
    INFO(path);
    REQUIRE_THAT(node.Write(File(path), variables), IsOk());
    CHECK(node.Written().workdir == node.facts.home + "/work");
    CHECK(node.Written().env.at("JOB") == "7");
  }
}

TEST_CASE("edf: the file is the user's alone, with the job's folders in it",
          "[agent]") {
  Node node;
  node.facts.devices = {"/dev/carmegpu0", "/dev/carmegpu1"};
  REQUIRE_THAT(
      node.Write(Rendered("image = \"/i.sqsh\"\nmounts = [\"/data:/data\"]"
                          "\ndevices = [\"/dev/carmegpu1\"]\n"
                          "env.PRICE = \"$$5\"")),
      IsOk());
  struct stat info {};
  REQUIRE(stat(EdfFile(node.facts).c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const Edf written = node.Written();
  const std::string& home = node.facts.home;
  const std::string& run = node.facts.directory;
  CHECK(MountsOf(written) ==
        std::vector<std::string>{
            absl::StrCat(home, ":", home),
            "/scratch/7:/scratch/7",
            "/data:/data",
            absl::StrCat(run, ":", run),
            "/opt/carme/libexec/carme:/.carme/programs:ro",
            absl::StrCat(run, "/env:/etc/profile.d/carme.sh:ro"),
            absl::StrCat(run, "/ssh/hosts:/etc/ssh/ssh_config:ro"),
        });
  CHECK(written.devices ==
        std::vector<std::string>{"/dev/carmegpu1", "/dev/carmegpu0"});
  CHECK(written.env.at("PRICE") == "$5");
}

TEST_CASE("edf: a mount of the environment over the home wins", "[agent]") {
  const Node node;
  const std::string& home = node.facts.home;
  REQUIRE_THAT(
      node.Write(Rendered(absl::StrCat("image = \"/i.sqsh\"\nmounts = [\"",
                                       "/elsewhere:", home, ":ro\"]"))),
      IsOk());
  const std::vector<std::string> mounts = MountsOf(node.Written());
  CHECK(mounts[0] == "/scratch/7:/scratch/7");
  CHECK(mounts[1] == absl::StrCat("/elsewhere:", home, ":ro"));
}

TEST_CASE("edf: enters by a step with all resources of the node", "[agent]") {
  const Node node;
  const auto command =
      EnvironmentCommand(Rendered(""), node.facts, "/run/carme/jobs/7/i");
  REQUIRE_THAT(command, IsOk());
  CHECK(absl::StrJoin(*command, " ") ==
        absl::StrCat("/usr/bin/srun --quiet --overlap --nodes=1 --ntasks=1 "
                     "--nodelist=n1 --mem=0 --cpu-bind=none --mpi=none "
                     "--input=none --export=ALL --environment=",
                     node.facts.directory,
                     "/environment.toml /.carme/programs/carme-init --socket "
                     "/run/carme/jobs/7/i"));
  CHECK(ProgramsIn(Rendered(""), node.facts) == "/.carme/programs");
  EnvironmentFacts nameless = node.facts;
  nameless.node = "";
  CHECK(absl::IsFailedPrecondition(
      EnvironmentCommand(Rendered(""), nameless, "/i").status()));
}

}  // namespace
}  // namespace carme::agent
