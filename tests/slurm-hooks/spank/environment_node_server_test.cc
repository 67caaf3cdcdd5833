// What a task finds in its environment on a node.
#include <catch2/catch.hpp>
#include <string>

#include "tests/slurm-hooks/spank/user_shell.h"

namespace carme {
namespace {

// The environment of this text, with the small image where it names none.
Ran InEnvironment(const std::string& edf, const std::string& script,
                  const std::string& options = "") {
  WriteJob(Contains(edf, "image = ")
               ? edf
               : "image = \"" + SmallImage() + "\"\n" + edf);
  Ran ran = AsAda("srun --environment=./job.toml " + options + " sh -c " +
                  InOneStream(script));
  CheckNodesStayUp();
  return ran;
}

TEST_CASE("environment: its root is the image, its user the user", "[edf]") {
  const Ran ran = InEnvironment(
      "",
      "cat /etc/image; id; ls /home /root /etc/slurm; stat -c %U /tmp/. /; "
      "readlink /proc/self/root");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\n"));
  CHECK(Contains(ran.text, "uid=20001(ada) gid=20001(ada)"));
  CHECK(Contains(ran.text, "20100(carme-users)"));
  for (const char* path : {"/home", "/root", "/etc/slurm"}) {
    CHECK(Contains(ran.text, "cannot access '" + std::string(path)));
  }
  CHECK(Contains(ran.text, "\n/\n"));
}

TEST_CASE("environment: mounts, working directory and variables are the file's",
          "[edf]") {
  REQUIRE(AsAda("mkdir -p in out; echo given > in/file").code == 0);
  const Ran ran = InEnvironment(
      "mounts = [\"/home/${USER}/in:/data/deep/in:ro\", "
      "\"/home/${USER}/out\", \"./in/file:/data/one\"]\n"
      "workdir = \"/home/${USER}/out\"\n"
      "[env]\nGIVEN = \"from ${USER}\"\nUSER = \"\"\n",
      "pwd; cat /data/deep/in/file /data/one; echo kept > kept; "
      "echo x > /data/deep/in/new; printenv GIVEN IMAGE HOME; "
      "printenv USER || echo unset");
  INFO(ran.text);
  CHECK(Contains(ran.text, "/home/ada/out\ngiven\ngiven\n"));
  CHECK(Contains(ran.text, "/data/deep/in/new: Read-only file system"));
  CHECK(Contains(ran.text, "from ada\nsmall\n/home/ada\nunset\n"));
  CHECK(AsAda("cat out/kept").text == "kept\n");
  CHECK(AsAda("stat -c %U out/kept").text == "ada\n");
}

TEST_CASE("environment: it is writable, or read-only but for /tmp", "[edf]") {
  const std::string script =
      "mkdir /own && echo made; echo x > /tmp/x && cat /tmp/x; "
      "echo x > /dev/shm/x && echo shared";
  const Ran writable = InEnvironment("", script);
  INFO(writable.text);
  CHECK(Contains(writable.text, "made\nx\nshared\n"));
  const Ran closed = InEnvironment("writable = false\n", script);
  INFO(closed.text);
  CHECK(Contains(closed.text, "Read-only file system"));
  CHECK(Contains(closed.text, "x\nshared\n"));
  CHECK_FALSE(Contains(closed.text, "made"));
  // what was written went with its step
  CHECK(Contains(InEnvironment("", "ls /own /tmp/x /dev/shm/x").text,
                 "cannot access '/dev/shm/x'"));
}

TEST_CASE("environment: a step's tasks on a node share one, nodes do not",
          "[edf]") {
  const Ran ran = InEnvironment(
      "",
      "touch /tmp/$SLURM_PROCID; set --; "
      "while [ $# -lt 2 ]; do sleep 0.1; set -- $(ls /tmp); done; "
      "echo $SLURM_NODEID sees $*",
      "-N2 -n4 --ntasks-per-node=2 --overcommit");
  INFO(ran.text);
  CHECK(Contains(ran.text, "0 sees 0 1\n"));
  CHECK(Contains(ran.text, "1 sees 2 3\n"));
}

TEST_CASE("environment: its devices are the usual ones and the job's GPUs",
          "[edf]") {
  const std::string script =
      "ls /dev; echo x > /dev/null && echo written; sleep 0 < /dev/carmegpu0 "
      "&& echo opened";
  const Ran none = InEnvironment("", script, "-w n1");
  INFO(none.text);
  CHECK(Contains(none.text, "written\n"));
  CHECK_FALSE(Contains(none.text, "carmegpu0\n"));
  CHECK_FALSE(Contains(none.text, "opened"));
  CHECK_FALSE(Contains(none.text, "fuse"));
  const Ran one = InEnvironment("devices = [\"nvidia.com/gpu=all\"]\n", script,
                                "-w n1 --gres=gpu:1");
  INFO(one.text);
  CHECK(Contains(one.text, "carmegpu0\n"));
  CHECK(Contains(one.text, "opened\n"));
  CHECK_FALSE(Contains(one.text, "carmegpu1\n"));
}

TEST_CASE("environment: a directory and a SquashFS mount work", "[edf]") {
  const Ran ran = InEnvironment(
      "image = \"" + SmallDirectory() + "\"\nmounts = [\"" + SmallImage() +
          ":/inner:sqsh\"]\n",
      "cat /etc/image /inner/etc/image; echo x > /inner/x; mkdir /own && ls /");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\nsmall\n"));
  CHECK(Contains(ran.text, "/inner/x: Read-only file system"));
  CHECK(Contains(ran.text, "\nown\n"));
  // the layer took it
  CHECK(AsAda("ls unpacked/own").code != 0);
}

TEST_CASE("environment: an image directory is written to as its user may",
          "[edf]") {
  // of root's, with a part of ada's; the layer takes all changes
  const std::string tree = "/etc/carme-site/tree";
  REQUIRE(AsRoot("rm -rf " + tree + "; cp -a " + SmallDirectory() + " " + tree +
                 " && chown -R root: " + tree + " && mkdir " + tree +
                 "/mine && echo old > " + tree + "/mine/file && chown -R ada " +
                 tree + "/mine")
              .code == 0);
  const Ran ran = InEnvironment(
      "image = \"" + tree + "\"\nmounts = [\"/home/ada:/data/deep/home\"]\n",
      "ls /data/deep/home/job.toml; mkdir /own && echo made; "
      "echo new >> /mine/file && cat /mine/file; rm /mine/file && "
      "mkdir /mine/file && touch /mine/file/below && ls /mine/file; "
      "echo x > /tmp/x && cat /tmp/x; echo x >> /etc/image; cat /etc/image");
  INFO(ran.text);
  CHECK(Contains(ran.text, "/data/deep/home/job.toml\nmade\nold\nnew\nbelow\n"
                           "x\n"));
  CHECK(Contains(ran.text, "/etc/image: Permission denied"));
  CHECK(Contains(ran.text, "\nsmall\n"));
  CHECK(AsRoot("cat " + tree + "/mine/file").text == "old\n");
  AsRoot("rm -rf " + tree);
}

TEST_CASE("environment: a terminal works in it", "[edf]") {
  WriteJob("image = \"" + SmallImage() + "\"\n");
  const Ran ran = AsAda("script -qec " +
                        InQuotes("srun --pty --environment=./job.toml tty") +
                        " /dev/null < /dev/null");
  INFO(ran.text);
  CHECK(Contains(ran.text, "/dev/pts/"));
}

TEST_CASE("sbatch --environment: the script runs in it, and so do its steps",
          "[edf]") {
  WriteJob("image = \"" + SmallImage() + "\"\n[env]\nWHERE = \"inside\"\n");
  const Ran ran = AsAda(
      "sbatch -Q -W -o batch.log --environment=./job.toml "
      "--wrap=\"cat /etc/image; printenv WHERE; pwd\"; cat batch.log");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\ninside\n/\n"));
  CheckNodesStayUp();
}

TEST_CASE("salloc --environment: its steps have the environment", "[edf]") {
  WriteJob("image = \"" + SmallImage() + "\"\n");
  const Ran ran = AsAda(
      "salloc -Q --environment=./job.toml sh -c \"printenv SLURM_EDF_EXPANDED; "
      "srun cat /etc/image; srun --environment= ls -d /etc/slurm\"");
  INFO(ran.text);
  CHECK(Contains(ran.text, "workdir = \"\"\n"));
  CHECK(Contains(ran.text, "\nsmall\n"));
  CHECK(Contains(ran.text, "\n/etc/slurm\n"));
}

}  // namespace
}  // namespace carme
