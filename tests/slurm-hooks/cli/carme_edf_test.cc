// carme edf, the program itself, as a user calls it.
#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "common/file.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

struct Ran {
  int code = -1;
  std::string out;
  std::string error;
};

// A home, which is also where the commands are given.
class Home {
 public:
  Home() { std::filesystem::create_directory(directory_.File(".edf")); }

  const std::string& path() const { return directory_.path(); }
  void Write(const std::string& file, const std::string& text) {
    REQUIRE(WriteFile(directory_.File(file), text, 0644).ok());
  }
  Ran Run(const std::string& arguments, const std::string& out = "out") {
    const std::string line = "cd " + path() + " && env -i HOME=" + path() +
                             " USER=ada " CARME_CLI " " + arguments + " >" +
                             out + " 2>error";
    const int status = system(line.c_str());
    return {WEXITSTATUS(status), ReadFile(directory_.File("out")).value_or(""),
            ReadFile(directory_.File("error")).value()};
  }

 private:
  TempDir directory_;
};

TEST_CASE("carme: wrong use is 2", "[edf]") {
  Home home;
  for (const char* line : {"", "edf", "edf validate", "edf render --jsno x",
                           "edf validate a b", "nothing"}) {
    INFO(line);
    CHECK(home.Run(line).code == 2);
  }
}

TEST_CASE("carme edf: a bad file is 1, with every reason", "[edf]") {
  Home home;
  home.Write("job.toml", "image = \"docker://a\"\nmounts = [\"data:/data\"]\n");
  for (const char* command : {"validate", "render", "render --json"}) {
    const Ran ran = home.Run(std::string("edf ") + command + " ./job.toml");
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK(ran.error.starts_with("carme: 1. Error 101: " + home.path() +
                                "/job.toml:1: \"image\" is \"docker://a\": "));
    CHECK(ran.error.find("\ncarme: 2. Error 012: ") != std::string::npos);
  }
}

TEST_CASE("carme edf: a name that is nowhere is 1", "[edf]") {
  Home home;
  const Ran ran = home.Run("edf validate torch");
  CHECK(ran.code == 1);
  CHECK(ran.error == "carme: Error 006: environment \"torch\" not found at \"" +
                         home.path() + "/.edf\", \"/etc/edf\"\n");
}

TEST_CASE("carme edf: output that cannot be written is 1", "[edf]") {
  Home home;
  home.Write("job.toml", "image = \"a\"\n");
  CHECK(home.Run("edf render job.toml", "/dev/full").code == 1);
}

TEST_CASE("carme edf: validate names the file, and what has no effect",
          "[edf]") {
  Home home;
  home.Write(".edf/torch.toml", "image = \"store#torch\"\nperfmon = true\n");
  const Ran ran = home.Run("edf validate torch");
  CHECK(ran.code == 0);
  CHECK(ran.out == home.path() + "/.edf/torch.toml is a valid EDF file\n");
  CHECK(ran.error == "carme: warning: " + home.path() +
                         "/.edf/torch.toml:2: unknown key \"perfmon\": it has "
                         "no effect here\n");
}

TEST_CASE("carme edf: renders with the caller's variables and directory",
          "[edf]") {
  Home home;
  home.Write(".edf/base.toml", "image = \"ubuntu\"\nenv.A = \"1\"\n");
  home.Write("job.toml",
             "base_environment = \"base\"\nmounts = [\"./x:/x:ro\"]\n"
             "workdir = \"/scratch/${USER}\"\n");
  CHECK(home.Run("edf render job.toml").out ==
        "image = \"ubuntu\"\nmounts = [\"" + home.path() +
            "/x:/x:ro\"]\nworkdir = \"/scratch/ada\"\nwritable = true\n"
            "entrypoint = false\ndevices = []\n\n[env]\n\"A\" = \"1\"\n");
  CHECK(home.Run("edf render --json job.toml").out ==
        "{\"image\":\"ubuntu\",\"mounts\":[\"" + home.path() +
            "/x:/x:ro\"],\"workdir\":\"/scratch/ada\",\"writable\":true,"
            "\"entrypoint\":false,\"devices\":[],\"env\":{\"A\":\"1\"},"
            "\"annotations\":{}}\n");
}

}  // namespace
}  // namespace carme
