// The whole way, from a name or a text to the rendered environment.
#include "common/edf/render.h"

#include <catch2/catch.hpp>

#include "common/edf/text.h"
#include "tests/common/edf/memory_files.h"

namespace carme {
namespace {

TEST_CASE("render: refuses an environment without an image", "[edf]") {
  for (const char* text :
       {"", "workdir = \"/\"", "image = \"\"", "image = \"${EMPTY}\""}) {
    INFO(text);
    CHECK(Numbers(RenderText(text).problems) == std::vector<int>{7});
  }
}

TEST_CASE("render: refuses invalid directories, devices and variables",
          "[edf]") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"workdir = \"data\"", 9},
      {"workdir = \"~\"", 9},
      {"workdir = \"/a\\nb\"", 9},
      {"workdir = \"${COLON}\"", 9},
      {"devices = [\"gpu\"]", 103},
      {"devices = [\"/dev/../etc\"]", 103},
      {"devices = [\"/dev/\"]", 103},
      {"devices = [\"nvidia.com/gpu\"]", 103},
      {"devices = [\"a=b/c\"]", 103},
      {"env = {A = \"$HOME\"}", 18},
      {"annotations.a = \"${NOBODY}\"", 17}};
  for (const auto& [line, number] : cases) {
    INFO(line);
    CHECK(Numbers(RenderText("image = \"a\"\n" + line).problems) ==
          std::vector<int>{number});
  }
}

TEST_CASE("render: reports all problems of the values at once", "[edf]") {
  const EdfResult result = RenderText(
      "image = \"docker://a\"\nmounts = [\"a\", \"/b:c\"]\n"
      "workdir = \"x\"\ndevices = [\"y\"]\nenv.A = \"$\"");
  CHECK_FALSE(result.edf);
  CHECK(Numbers(result.problems) == std::vector<int>{101, 12, 13, 9, 103, 18});
}

TEST_CASE("render: a value of [env] sees no other, only the host's", "[edf]") {
  CHECK(Numbers(RenderText("image = \"a\"\nenv = {A = \"x\", B = \"${A}\"}")
                    .problems) == std::vector<int>{17});
}

TEST_CASE("render: refuses a SquashFS source that is not a file", "[edf]") {
  const std::map<std::string, std::string> files = {{"/x.sqsh", ""},
                                                    {"/dir/", ""}};
  const auto render = [&](const std::string& mount) {
    return RenderEdfText("image = \"a\"\nmounts = [\"" + mount + "\"]", "x",
                         ContextWith(&files));
  };
  CHECK(Numbers(render("/no:/a:sqsh").problems) == std::vector<int>{14});
  CHECK(Numbers(render("/dir:/a:sqsh").problems) == std::vector<int>{16});
  CHECK(render("/x.sqsh:/a:sqsh").edf);
  CHECK(render("/no:/a").edf);  // the nodes may have it
}

TEST_CASE("render: variables cannot make an environment of any size", "[edf]") {
  static const std::map<std::string, std::string> none;
  EdfContext context = ContextWith(&none);
  context.variables["BIG"] = std::string(30000, 'x');
  std::string text = "image = \"a\"\n[env]\n";
  for (int i = 0; i < 100; ++i)
    text += "A" + std::to_string(i) + "=\"${BIG}\"\n";
  const EdfResult result = RenderEdfText(text, "x.toml", context);
  CHECK(Numbers(result.problems) == std::vector<int>{100});
  CHECK(result.problems.list()[0].place.line > 0);
}

// As CSCS publishes it.
constexpr const char* kListing = R"(image = "ubuntu:latest"

mounts = [
    "/scratch/project01/dataset:/scratch/project01/dataset:ro",
    "/scratch/${USER}",
]

workdir = "/scratch/${USER}"

writable = true

[annotations.com.hooks.aws_ofi_nccl]
enabled = "true"
variant = "cuda12"

[annotations.com.hooks.ssh]
enabled = "true"
authorize_ssh_key = "/home/${USER}/.ssh/id_ed25519.pub"
)";

constexpr const char* kListingRendered =
    R"(image = "ubuntu:latest"
mounts = ["/scratch/project01/dataset:/scratch/project01/dataset:ro", "/scratch/ada:/scratch/ada"]
workdir = "/scratch/ada"
writable = true
entrypoint = false
devices = []

[annotations]
"com.hooks.aws_ofi_nccl.enabled" = "true"
"com.hooks.aws_ofi_nccl.variant" = "cuda12"
"com.hooks.ssh.authorize_ssh_key" = "/home/ada/.ssh/id_ed25519.pub"
"com.hooks.ssh.enabled" = "true"
)";

TEST_CASE("render: accepts the listing that CSCS publishes", "[edf]") {
  const std::map<std::string, std::string> files = {
      {"/here/my_environment.toml", kListing}};
  const EdfResult result =
      RenderEdf("./my_environment.toml", ContextWith(&files));
  CAPTURE(Text(result.problems));
  REQUIRE(result.edf);
  CHECK(EdfToToml(*result.edf) == kListingRendered);
  // its hooks, once each and where they stand
  REQUIRE(result.warnings.list().size() == 2);
  CHECK(Located(result.warnings.list()[0]) ==
        "/here/my_environment.toml:13: annotation \"com.hooks.aws_ofi_nccl\": "
        "hooks are not supported here, so it has no effect");
  CHECK(Located(result.warnings.list()[1])
            .starts_with("/here/my_environment.toml:18: annotation "
                         "\"com.hooks.ssh\": "));
}

TEST_CASE("render: devices and hooks without effect are warnings", "[edf]") {
  const std::vector<std::pair<std::string, std::string>> warned = {
      {"devices = [\"nvidia.com/gpu=0\"]",
       "x.toml:2: \"devices[0]\" is \"nvidia.com/gpu=0\": it has no effect "
       "here: a step has the GPUs that Slurm allocated to it; expected "
       "\"nvidia.com/gpu=all\""},
      {"devices = [\"amd.com/gpu=all\"]",
       "x.toml:2: \"devices[0]\" is \"amd.com/gpu=all\": this CDI device is "
       "not supported and has no effect here: expected a path below \"/dev/\" "
       "or \"nvidia.com/gpu=all\""},
      {"annotations.com.hooks.ssh.enabled = true",
       "x.toml:2: annotation \"com.hooks.ssh\": hooks are not supported here, "
       "so it has no effect"}};
  const EdfResult docker = RenderText("image = \"nvcr.io/nvidia/pytorch\"");
  REQUIRE(docker.warnings.list().size() == 1);
  CHECK(Located(docker.warnings.list()[0])
            .starts_with("x.toml:1: \"image\" is \"nvcr.io/nvidia/pytorch\": "
                         "refers to Docker Hub: "));
  for (const auto& [line, warning] : warned) {
    const EdfResult result = RenderText("image = \"a\"\n" + line);
    CHECK(result.edf);
    REQUIRE(result.warnings.list().size() == 1);
    CHECK(Located(result.warnings.list()[0]) == warning);
  }
  for (const std::string line :
       {"devices = [\"nvidia.com/gpu=all\", \"/dev/fuse\"]",
        "annotations.com.hooks.ssh.enabled = \"false\"",
        "annotations.org.example = \"x\""}) {
    INFO(line);
    CHECK(RenderText("image = \"a\"\n" + line).warnings.empty());
  }
}

TEST_CASE("render: the defaults of an environment", "[edf]") {
  const EdfResult result = RenderText("image = \"a\"");
  REQUIRE(result.edf);
  CHECK(EdfToToml(*result.edf) ==
        "image = \"a\"\nmounts = []\nworkdir = \"\"\nwritable = true\n"
        "entrypoint = false\ndevices = []\n");
}

TEST_CASE("render: keeps an empty value of [env], which unsets", "[edf]") {
  const EdfResult result =
      RenderText("image = \"a\"\nenv = {A = \"\", B = \"${EMPTY}\"}");
  REQUIRE(result.edf);
  CHECK(result.edf->env ==
        std::map<std::string, std::string>{{"A", ""}, {"B", ""}});
}

}  // namespace
}  // namespace carme
