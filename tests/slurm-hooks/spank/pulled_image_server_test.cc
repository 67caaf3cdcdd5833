// Images of a registry, which is Docker's own, in plain HTTP on the log-in
// host.
#include <catch2/catch.hpp>
#include <string>

#include "tests/slurm-hooks/spank/user_shell.h"

namespace carme {
namespace {

constexpr char kHost[] = "127.0.0.1:5000";
constexpr char kFolder[] = "/home/registry";
constexpr char kStore[] = "/home/ada/.edf_imagestore";

// $1: the folder, $2: the small image. `team/small` loses a file in its second
// layer; `team/hostile` would write outside of itself and has a link where
// variables go.
constexpr char kPrepare[] =
    "set -e; mkdir -p $1; cd $1; unsquashfs -q -n -d tree $2 > /dev/null; "
    "echo old > tree/gone; umoci init --layout oci; umoci new --image oci:1; "
    "umoci insert --image oci:1 tree /; "
    "umoci insert --image oci:1 --whiteout /gone; "
    "umoci config --image oci:1 --config.env FROM=registry "
    "--config.workingdir /data; "
    "umoci new --image oci:bad; umoci new --image oci:link; mkdir a; "
    "echo out > a/x; tar -P --transform s,^a/x,../../../../escaped, "
    "-cf bad.tar a/x; umoci raw add-layer --image oci:bad bad.tar; "
    "mkdir links; ln -s /home/ada links/etc; "
    "umoci insert --image oci:link links /; "
    "mkdir -p /etc/containers/registries.conf.d; "
    "echo \"[[registry]]\nlocation = \\\"127.0.0.1:5000\\\"\ninsecure = true\" "
    "> /etc/containers/registries.conf.d/test.conf; "
    "echo \"{version: 0.1, log: {level: error}, "
    "storage: {filesystem: {rootdirectory: $1/data}}, "
    "http: {addr: \\\"127.0.0.1:5000\\\"}}\" > registry.yml; "
    "docker-registry serve registry.yml > log 2>&1 < /dev/null & "
    "echo $! > $1/pid";

// Ends with the cluster, as its servers do.
class Registry {
 public:
  Registry() {
    const Ran made = AsRoot("sh -c '" + std::string(kPrepare) + "' sh " +
                            kFolder + " " + SmallImage());
    INFO(made.text);
    REQUIRE(made.code == 0);
    for (const char* const copy :
         {"oci:oci:1 docker://127.0.0.1:5000/team/small:1",
          "oci:oci:bad docker://127.0.0.1:5000/team/bad:1",
          "oci:oci:link docker://127.0.0.1:5000/team/link:1"}) {
      Ran ran;
      // it may not listen yet
      for (int i = 0; i < 600 && ran.code != 0; ++i) {
        ran = AsRoot("cd " + std::string(kFolder) + "; skopeo copy -q " + copy +
                     " || { sleep 0.1; false; }");
      }
      INFO(ran.text);
      REQUIRE(ran.code == 0);
    }
  }
};

void NeedRegistry() { static const Registry registry; }

Ran Pull(const std::string& image, const std::string& before = "") {
  return AsAda(before + "/opt/carme/bin/carme edf pull \"" + image + "\"");
}

std::string Named(const std::string& name) {
  return std::string(kHost) + "#team/" + name;
}

// That it fails with these words and leaves nothing in the store.
void CheckRefused(const Ran& ran, const std::string& words,
                  const std::string& store = kStore) {
  INFO(ran.text);
  CHECK(ran.code == 1);
  CHECK(Contains(ran.text, words));
  CHECK_FALSE(Contains(AsRoot("ls -A " + store).text, "pull"));
}

TEST_CASE("pull: refuses an image that is not in the registry", "[edf]") {
  NeedRegistry();
  CheckRefused(Pull("/home/ada/a.sqsh"), "is in no registry");
  CheckRefused(Pull("store#base"), "is in no registry");
  CheckRefused(Pull(Named("none:1")), "\"skopeo inspect\" failed");
  CheckRefused(Pull("nowhere.invalid#team/small"), "\"skopeo inspect\" failed");
  CheckRefused(Pull(Named("small@sha256:" + std::string(64, '0'))),
               "\"skopeo copy\" failed");
}

TEST_CASE("pull: layers cannot write outside of the image", "[edf][attack]") {
  NeedRegistry();
  REQUIRE(AsAda("rm -f environment").code == 0);
  const Ran bad = Pull(Named("bad:1"));
  INFO(bad.text);
  CHECK(AsRoot("find /home /tmp /escaped -name escaped 2> /dev/null")
            .text.empty());
  CheckRefused(Pull(Named("link:1")), "/etc/environment");
  CHECK(AsAda("ls environment").code != 0);
}

TEST_CASE("pull: a full disk leaves no file", "[edf]") {
  NeedRegistry();
  REQUIRE(AsRoot("mkdir -p /home/little && mount -t tmpfs -o "
                 "size=2m,mode=700,uid=20001 none /home/little")
              .code == 0);
  CheckRefused(Pull(Named("small:1"), "export EDF_IMAGESTORE=/home/little; "),
               "failed with exit code", "/home/little");
  CHECK_FALSE(Contains(AsRoot("ls -A /home/little").text, "sqsh"));
  CHECK(AsRoot("umount /home/little").code == 0);
}

TEST_CASE("pull: continues after a killed pull; two pulls share the work",
          "[edf]") {
  NeedRegistry();
  REQUIRE(AsAda("rm -rf .edf_imagestore; mkdir -p "
                ".edf_imagestore/.pull/oci/closed; chmod 0 "
                ".edf_imagestore/.pull/oci/closed")
              .code == 0);
  const std::string pull =
      "/opt/carme/bin/carme edf pull \"" + Named("small:1") + "\"";
  const Ran ran =
      AsAda(pull + " > one & " + pull + " > two; wait; cmp one two && cat one");
  INFO(ran.text);
  CHECK(ran.code == 0);
  CHECK(Contains(ran.text, "/home/ada/.edf_imagestore/sha256-"));
  CHECK(AsAda("ls .edf_imagestore | wc -l").text == "2\n");
  CHECK_FALSE(Contains(AsAda("ls -A .edf_imagestore").text, ".pull"));
}

TEST_CASE("pull: the image runs by its name, on each node", "[edf]") {
  NeedRegistry();
  REQUIRE(Pull(Named("small:1")).code == 0);
  WriteJob("image = \"" + Named("small:1") + "\"\n");
  const Ran ran =
      AsAda("srun -N2 --environment=./job.toml sh -c " +
            InOneStream("cat /etc/image; printenv FROM IMAGE; ls /gone; pwd; "
                        "echo x > /usr/new && echo $SLURM_NODEID writes"));
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\nregistry\nsmall\n"));
  CHECK(Contains(ran.text, "cannot access '/gone'"));
  // the image's own working directory
  CHECK(Contains(ran.text, "\n/data\n"));
  CHECK(Contains(ran.text, "0 writes\n"));
  CHECK(Contains(ran.text, "1 writes\n"));
  CheckNodesStayUp();
}

}  // namespace
}  // namespace carme
