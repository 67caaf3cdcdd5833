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

TEST_CASE("environment: is writable, or read-only except /tmp", "[edf]") {
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

// Stands in for the driver of a node that has GPUs; the cluster's
// environment.toml names the folder.
void MakeDriver() {
  REQUIRE(AsRoot("d=/etc/carme-site/driver; mkdir -p $d && cd $d && "
                 "printf \"#!/bin/sh\\necho test double sees \\$(ls -d "
                 "/dev/carmegpu*)\\n\" > nvidia-smi && chmod 755 nvidia-smi && "
                 "echo driver > libcuda.so.1.0 && ln -sf libcuda.so.1.0 "
                 "libcuda.so.1 && echo ml > libnvidia-ml.so.1")
              .code == 0);
}

TEST_CASE(
    "environment: nvidia.com/gpu=all brings the step's GPUs and the driver",
    "[edf]") {
  MakeDriver();
  const std::string script =
      "nvidia-smi; cd /usr/local/nvidia/lib64 && ls; cat libcuda.so.1; "
      "echo x > libcuda.so.1; echo path $LD_LIBRARY_PATH";
  const Ran without = InEnvironment("", script, "-w n1 --gres=gpu:1");
  INFO(without.text);
  CHECK(Contains(without.text, "nvidia-smi: not found"));
  CHECK(Contains(without.text, "cd: can't cd to /usr/local/nvidia/lib64"));
  const std::string all = "devices = [\"nvidia.com/gpu=all\"]\n";
  const Ran one = InEnvironment(all + "env.LD_LIBRARY_PATH = \"/mine\"\n",
                                script, "-w n1 --gres=gpu:1");
  INFO(one.text);
  CHECK(Contains(one.text, "test double sees /dev/carmegpu0\n"));
  CHECK(Contains(one.text,
                 "libcuda.so.1\nlibcuda.so.1.0\nlibnvidia-ml.so.1\ndriver\n"));
  CHECK(Contains(one.text, "Read-only file system"));
  CHECK(Contains(one.text, "path /mine:/usr/local/nvidia/lib64\n"));
  // where the node's /usr is mounted over it
  const Ran covered =
      InEnvironment(all + "mounts = [\"/usr:/usr\"]\n", "id -un", "-w n1");
  INFO(covered.text);
  CHECK(covered.code == 0);
}

TEST_CASE("environment: srun warns of devices and hooks without effect",
          "[edf]") {
  const Ran ran = InEnvironment(
      "devices = [\"nvidia.com/gpu=0\"]\n"
      "[annotations.com.hooks.ssh]\nenabled = \"true\"\n",
      "echo it runs");
  INFO(ran.text);
  CHECK(Contains(ran.text,
                 "carme: warning: /home/ada/job.toml:2: \"devices[0]\""
                 " is \"nvidia.com/gpu=0\": it has no effect"));
  CHECK(Contains(ran.text,
                 "job.toml:4: annotation \"com.hooks.ssh\": hooks are "
                 "not supported"));
  CHECK(Contains(ran.text, "it runs\n"));
}

TEST_CASE("environment: an image of the store is found by its name", "[edf]") {
  const std::string file = "/etc/carme/environment.toml";
  const auto on_nodes = [](const std::string& script) {
    return AsRoot("srun -Q -N2 sh -c " + InQuotes(script)).code;
  };
  REQUIRE(on_nodes("cp " + file +
                   " /run/kept.toml && printf \"\\n[[store]]\\n"
                   "id = 'own:7'\\npath = '" +
                   SmallImage() + "'\\n\" >> " + file) == 0);
  for (const std::string name : {"own", "own:7", "small"}) {
    const Ran ran = InEnvironment("image = \"store#" + name + "\"\n",
                                  "cat /etc/image", "-N2");
    INFO(ran.text);
    CHECK(Contains(ran.text, "small\nsmall\n"));
  }
  const Ran none = InEnvironment("image = \"store#own:8\"\n", "id");
  CHECK(Contains(none.text, "image \"store#own:8\" is not known on this node"));
  CHECK(on_nodes("cp /run/kept.toml " + file) == 0);
}

TEST_CASE("environment: an image sets no variable of Slurm's or Carme's",
          "[edf]") {
  const std::string tree = "/etc/carme-site/variables";
  REQUIRE(AsRoot("rm -rf " + tree + "; cp -a " + SmallDirectory() + " " + tree +
                 " && printf \"SLURM_JOB_ID=theirs\\nSLURMD_NODENAME=x\\n"
                 "CARME_SCRATCH=/x\\nOTHER=mine\\n\" >> " +
                 tree + "/etc/environment")
              .code == 0);
  const Ran ran =
      InEnvironment("image = \"" + tree + "\"\n",
                    "echo $SLURM_JOB_ID; printenv SLURMD_NODENAME OTHER; "
                    "echo scratch $CARME_SCRATCH",
                    "-w n1");
  INFO(ran.text);
  CHECK_FALSE(Contains(ran.text, "theirs"));
  CHECK(Contains(ran.text, "\nn1\nmine\nscratch\n"));
  AsRoot("rm -rf " + tree);
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
  CHECK(Contains(ran.text,
                 "/data/deep/home/job.toml\nmade\nold\nnew\nbelow\n"
                 "x\n"));
  CHECK(Contains(ran.text, "/etc/image: Permission denied"));
  CHECK(Contains(ran.text, "\nsmall\n"));
  CHECK(AsRoot("cat " + tree + "/mine/file").text == "old\n");
  AsRoot("rm -rf " + tree);
}

TEST_CASE("environment: an image directory may lie in an overlay file system",
          "[edf]") {
  SmallDirectory();
  const auto on_node = [](const std::string& script) {
    return AsRoot("srun -Q -w n1 sh -c " + InQuotes(script));
  };
  const Ran made = on_node(
      "cd /run && mkdir -p over/up over/work over/all && mount -t overlay none "
      "over/all -o lowerdir=/home/ada/unpacked,upperdir=over/up,"
      "workdir=over/work && chown ada over/all");
  INFO(made.text);
  REQUIRE(made.code == 0);
  const std::string edf = "image = \"/run/over/all\"\n";
  const Ran ran =
      InEnvironment(edf, "cat /etc/image; mkdir /own && echo made", "-w n1");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\nmade\n"));
  CHECK(on_node("chown root /run/over/all; chmod 700 /run/over/all").code == 0);
  CHECK(Contains(InEnvironment(edf, "id", "-w n1").text,
                 "image \"/run/over/all\": read it: Permission denied"));
  CHECK(on_node("umount /run/over/all; rm -r /run/over").code == 0);
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
