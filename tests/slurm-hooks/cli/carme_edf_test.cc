// carme edf, the program itself, as a user calls it.
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
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
    REQUIRE_THAT(WriteFile(directory_.File(file), text, 0644), IsOk());
  }
  Ran Run(const std::string& arguments, const std::string& out = "out",
          const std::string& variables = "") {
    const std::string line = "cd " + path() + " && env -i HOME=" + path() +
                             " USER=ada " + variables + " " CARME_CLI " " +
                             arguments + " >" + out + " 2>error";
    const int status = system(line.c_str());
    return {WEXITSTATUS(status), ReadFile(directory_.File("out")).value_or(""),
            ReadFile(directory_.File("error")).value()};
  }

 private:
  TempDir directory_;
};

TEST_CASE("carme: usage errors exit with 2", "[edf]") {
  Home home;
  for (const char* line : {"", "edf", "edf validate", "edf render --jsno x",
                           "edf validate a b", "nothing"}) {
    INFO(line);
    CHECK(home.Run(line).code == 2);
  }
}

TEST_CASE("carme: an unknown command is named, with those that exist",
          "[edf]") {
  Home home;
  CHECK(home.Run("bogus").error ==
        "carme: unknown command \"bogus\": expected edf, mpirun, torchrun, "
        "vet; see "
        "\"carme --help\"\n");
  CHECK(
      home.Run("edf bogus --json").error ==
      "carme: unknown command \"bogus\": expected validate, pull, images, rm, "
      "render; see \"carme edf --help\"\n");
  CHECK(home.Run("").error.starts_with("carme: a command is missing: "));
}

TEST_CASE("carme help: shows a command's help", "[edf]") {
  Home home;
  for (const char* line : {"help", "help edf", "help edf rm", "help mpirun"}) {
    INFO(line);
    const Ran ran = home.Run(line);
    CHECK(ran.code == 0);
    CHECK(ran.error.empty());
    CHECK(ran.out.find("Usage: ") != std::string::npos);
  }
  CHECK(home.Run("help edf pull").out == home.Run("edf pull --help").out);
  CHECK(home.Run("help bogus").code == 2);
  for (const std::string name : {"mpirun", "torchrun"}) {
    CHECK(home.Run(name + " --help").out.find("All arguments go to " + name) !=
          std::string::npos);
  }
}

TEST_CASE("carme mpirun: all arguments go to mpirun", "[edf]") {
  Home home;
  home.Write("mpirun", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(home.path() + "/mpirun",
                               std::filesystem::perms::owner_all);
  for (const char* given :
       {"-n 2 ./program --help", "--bogus -x A help", "-- --help"}) {
    INFO(given);
    const Ran ran = home.Run(std::string("mpirun ") + given, "out",
                             "CARME_HOSTFILE=/h PATH=" + home.path());
    INFO(ran.error);
    const std::string passed =
        std::string(given).starts_with("-- ") ? given + 3 : given;
    CHECK(ran.out == "--hostfile /h -x PATH " + passed + "\n");
  }
}

// A store of two images; "old" has no name any more.
std::string DigestOf(char digit) { return std::string(64, digit); }
void FillStore(Home* home) {
  const std::string store = home->path() + "/.edf_imagestore";
  std::filesystem::create_directory(store);
  for (const char digit : {'a', 'b'}) {
    home->Write(".edf_imagestore/sha256-" + DigestOf(digit) + ".sqsh",
                std::string(3 << 20, digit));
  }
  home->Write(".edf_imagestore/.lock", "");
  for (const char* name :
       {"nvcr.io#nvidia+pytorch:24.01", "nvcr.io#nvidia+pytorch:latest"}) {
    std::filesystem::create_symlink("sha256-" + DigestOf('a') + ".sqsh",
                                    store + "/" + name);
  }
  std::filesystem::create_symlink("/etc/passwd", store + "/etc:1");
}

TEST_CASE("carme edf rm: refuses files that are not images of the store",
          "[edf]") {
  Home home;
  CHECK(home.Run("edf rm ubuntu").error == "carme: no image \"ubuntu\"\n");
  CHECK_FALSE(std::filesystem::exists(home.path() + "/.edf_imagestore"));
  FillStore(&home);
  for (const std::string which :
       {"ubuntu", "etc:1", "/etc/passwd", "./out", "store#base", "sha256:aaa",
        "sha256:cccccccccccc", "sha256:../../../../out", "../out", "''"}) {
    INFO(which);
    const Ran ran = home.Run("edf rm " + which);
    CHECK(ran.code == 1);
    CHECK(ran.error.find(which == "''" ? "" : which) != std::string::npos);
  }
  CHECK(std::filesystem::exists(home.path() + "/.edf_imagestore/etc:1"));
}

TEST_CASE("carme edf images: names, digests, sizes", "[edf]") {
  Home home;
  CHECK(home.Run("edf images").out.starts_with("IMAGE "));
  FillStore(&home);
  const std::string out = home.Run("edf images").out;
  INFO(out);
  CHECK(std::count(out.begin(), out.end(), '\n') == 4);
  CHECK(out.find("\n-                              sha256:bbbbbbbbbbbb") !=
        std::string::npos);
  CHECK(out.find("\nnvcr.io#nvidia/pytorch:24.01   sha256:aaaaaaaaaaaa       "
                 "3 MiB  20") != std::string::npos);
}

TEST_CASE("carme edf rm: deletes a file with its last name", "[edf]") {
  Home home;
  FillStore(&home);
  const std::string file =
      home.path() + "/.edf_imagestore/sha256-" + DigestOf('a') + ".sqsh";
  const std::string image = "nvcr.io#nvidia/pytorch";
  CHECK(home.Run("edf rm '" + image + "'").out ==
        "removed " + image + ", whose file has another name still\n");
  CHECK(std::filesystem::exists(file));
  CHECK(home.Run("edf rm '" + image + ":24.01'").out ==
        "removed " + image + ":24.01, 3 MiB\n");
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(home.Run("edf rm sha256:bbbbbbbbbbbb").code == 0);
  CHECK(home.Run("edf images").out.find("sha256:") == std::string::npos);
}

TEST_CASE("carme: manual page and completion have each command", "[edf]") {
  Home home;
  const std::string manual = ReadFile(CARME_CLI_SOURCE "/carme.1").value();
  for (const char* command :
       {"edf validate", "edf render", "edf pull", "edf images", "edf rm",
        "mpirun", "torchrun", "vet", "help"}) {
    CHECK(manual.find(std::string(".Cm ") + command) != std::string::npos);
  }
  home.Write(".edf/torch.toml", "image = \"a\"\n");
  FillStore(&home);
  home.Write("complete.sh", ". " CARME_CLI_SOURCE
                            "/completion.bash\n"
                            "carme() { " CARME_CLI
                            " \"$@\"; }\n"
                            "COMP_WORDS=(carme \"$@\"); COMP_CWORD=$#; _carme\n"
                            "echo \"${COMPREPLY[@]}\"\n");
  const auto completed = [&](const std::string& words) {
    const std::string line = "cd " + home.path() + " && HOME=" + home.path() +
                             " EDF_PATH= bash complete.sh " + words + " > out";
    REQUIRE(system(line.c_str()) == 0);
    return ReadFile(home.path() + "/out").value();
  };
  CHECK(completed("m") == "mpirun\n");
  CHECK(completed("edf \"\"") == "images pull render rm validate\n");
  CHECK(completed("help edf r") == "render rm\n");
  CHECK(completed("edf validate t") == "torch\n");
  CHECK(completed("edf rm sha") == "sha256:bbbbbbbbbbbb\n");
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

TEST_CASE("carme edf: validate names the file and unused settings", "[edf]") {
  Home home;
  home.Write(".edf/torch.toml",
             "image = \"store#torch\"\nperfmon = true\n"
             "devices = [\"amd.com/gpu=all\"]\n"
             "annotations.com.hooks.ssh.enabled = \"true\"\n");
  const Ran ran = home.Run("edf validate torch");
  CHECK(ran.code == 0);
  CHECK(ran.out == home.path() + "/.edf/torch.toml is a valid EDF file\n");
  const std::string warning =
      "carme: warning: " + home.path() + "/.edf/torch.toml:";
  CHECK(ran.error ==
        warning + "2: unknown key \"perfmon\": it has no effect here\n" +
            warning +
            "3: \"devices[0]\" is \"amd.com/gpu=all\": this CDI device is not "
            "supported and has no effect here: expected a path below "
            "\"/dev/\" or \"nvidia.com/gpu=all\"\n" +
            warning +
            "4: annotation \"com.hooks.ssh\": hooks are not supported here, so "
            "it has no effect\n");
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
