// Image files that users bring: read on the node by a process without rights,
// whatever is in them.
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "common/file.h"
#include "tests/slurm-hooks/spank/user_shell.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

constexpr char kMine[] = "/home/ada/mine.sqsh";

// ada's copy of the small image, which is not trusted.
std::string OwnImage() {
  REQUIRE(
      AsAda("cp " + SmallImage() + " mine.sqsh; chmod 600 mine.sqsh").code ==
      0);
  return kMine;
}

Ran InImage(const std::string& edf, const std::string& script,
            const std::string& options = "-w n1") {
  WriteJob(edf);
  Ran ran = AsAda("timeout 300 srun --environment=./job.toml " + options +
                  " sh -c " + InOneStream(script));
  CheckNodesStayUp();
  return ran;
}

bool Until(const std::function<bool()>& holds) {
  for (int i = 0; i < 1200; ++i) {
    if (holds()) return true;
    AsRoot("sleep 0.1");
  }
  return false;
}

// On the first node, by its administrator.
std::string OnNode(const std::string& script) {
  return AsRoot("srun -Q -w n1 sh -c " + InQuotes(script + "; true")).text;
}

// Those that are no more than not yet waited for do not count.
std::string Servers() { return OnNode("pgrep -r R,S,D,T -x carme-image"); }

// A job of ada's in the environment of job.toml that has written `sign` into
// ~/log.
std::string Start(const std::string& script, const std::string& sign) {
  REQUIRE(AsAda("rm -f log").code == 0);
  const Ran ran = AsAda(
      "sbatch --parsable -w n1 -o log --open-mode=append --wrap=" +
      InQuotes("srun --environment=./job.toml sh -c " + InQuotes(script)));
  INFO(ran.text);
  REQUIRE(ran.code == 0);
  INFO(AsAda("cat log").text);
  REQUIRE(Until([&] { return Contains(AsAda("cat log").text, sign); }));
  return ran.text.substr(0, ran.text.find('\n'));
}

bool Ended(const std::string& job) {
  return AsAda("squeue -h -j " + job + " -o %T 2>/dev/null").text.empty();
}

void Put(std::string* bytes, size_t at, uint64_t number, size_t width) {
  for (size_t i = 0; i < width; ++i, number >>= 8) {
    (*bytes)[at + i] = static_cast<char>(number & 0xff);
  }
}

// What stands before the squashfs in a SIF with one partition.
std::string SifHead(uint64_t squashfs_bytes) {
  std::string bytes(8192, '\0');
  bytes.replace(32, 9, "SIF_MAGIC");
  Put(&bytes, 88, 48, 8);
  Put(&bytes, 96, 4096, 8);
  Put(&bytes, 4096, 0x4004, 4);
  bytes[4096 + 4] = 1;
  Put(&bytes, 4096 + 17, bytes.size(), 8);
  Put(&bytes, 4096 + 25, squashfs_bytes, 8);
  Put(&bytes, 4096 + 201, 1, 4);
  Put(&bytes, 4096 + 205, 2, 4);
  return bytes;
}

TEST_CASE("user image: a damaged image is refused or read up to the damage",
          "[edf][attack]") {
  OwnImage();
  const auto whole = ReadFile(kMine, 64 << 20);
  REQUIRE_THAT(whole, IsOk());
  const std::string edf = "image = \"/home/ada/bad.sqsh\"\n";
  const auto run = [&](const std::string& bytes) {
    REQUIRE_THAT(WriteFile("/home/ada/bad.sqsh", bytes, 0644), IsOk());
    return InImage(edf, "ls -laR /etc /usr; cat /usr/bin/*").text;
  };
  CHECK(Contains(run(std::string(200000, 'x')),
                 "image \"/home/ada/bad.sqsh\": expected a squashfs or SIF"));
  CHECK(Contains(run(whole->substr(0, whole->size() / 2)),
                 "it is cut: expected a whole squashfs"));
  std::string odd = *whole;
  Put(&odd, 20, 9, 2);  // of the superblock: how it is compressed
  CHECK(Contains(run(odd), "image \"/home/ada/bad.sqsh\": its compression"));
  // where the inodes are, and the directories
  for (const size_t at : {64, 72}) {
    odd = *whole;
    Put(&odd, at, 96, 8);
    run(odd);
  }
  // all of its tables, and all of its files
  for (const size_t step : {7, 4099}) {
    odd = *whole;
    for (size_t at = step == 7 ? odd.size() - 4000 : 4096; at < odd.size();
         at += step) {
      odd[at] = static_cast<char>(odd[at] ^ 0x55);
    }
    run(odd);
  }
  CHECK(Until([] { return Servers().empty(); }));
}

TEST_CASE("user image: the kernel does not parse it", "[edf][attack]") {
  WriteJob("image = \"" + OwnImage() + "\"\n");
  const std::string job = Start("echo it runs; sleep 1000", "it runs");
  CHECK_FALSE(Contains(
      AsRoot("cat /sys/block/loop*/loop/backing_file 2>&1").text, "mine.sqsh"));
  CHECK_FALSE(Servers().empty());
  REQUIRE(AsAda("scancel " + job).code == 0);
  CHECK(Until([&] { return Ended(job); }));
  // nothing is left
  CHECK(Until([] { return Servers().empty(); }));
  CheckNodesStayUp();
}

TEST_CASE("user image: its server has no rights and is out of the user's reach",
          "[edf][attack]") {
  WriteJob("image = \"" + OwnImage() + "\"\n");
  const std::string job = Start("echo it runs; sleep 1000", "it runs");
  const std::string servers = Servers();
  const std::string server = servers.substr(0, servers.find('\n'));
  REQUIRE_FALSE(server.empty());
  const std::string status = OnNode("cat /proc/" + server + "/status");
  INFO(status);
  CHECK(Contains(status, "Uid:\t65534\t65534\t65534\t65534\n"));
  CHECK(Contains(status, "Gid:\t65534\t65534\t65534\t65534\n"));
  CHECK(Contains(status, "NoNewPrivs:\t1\n"));
  CHECK(Contains(status, "Seccomp:\t2\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    CHECK(Contains(status, std::string(set) + ":\t0000000000000000\n"));
  }
  // three descriptors of nothing, the image, the kernel's questions
  CHECK(OnNode("ls /proc/" + server + "/fd | wc -l") == "5\n");
  // Slurm ends it with its step
  CHECK(Contains(OnNode("cat /proc/" + server + "/cgroup"),
                 "freezer:/slurm_n1/uid_20001/job_" + job + "/step_0") !=
        Contains(OnNode("cat /proc/" + server + "/cgroup"), "/step_0/user"));
  // from the same job, outside of the environment
  const Ran ran =
      AsAda("srun -Q --overlap --jobid=" + job + " sh -c " +
            InOneStream("kill -STOP " + server + "; kill -KILL " + server +
                        "; ls /proc/" + server + "/fd; cat /proc/" + server +
                        "/maps; head -c 1 /proc/" + server + "/mem"));
  INFO(ran.text);
  CHECK(Contains(ran.text, "kill: Operation not permitted"));
  CHECK(Contains(ran.text, "/fd': Permission denied"));
  CHECK(Contains(ran.text, "/maps: Permission denied"));
  CHECK(Contains(ran.text, "/mem' for reading: Permission denied"));
  CHECK(Contains(OnNode("cat /proc/" + server + "/status"), "sleeping"));
  REQUIRE(AsAda("scancel " + job).code == 0);
  CHECK(Until([&] { return Ended(job); }));
}

TEST_CASE("user image: a server that hangs or exits affects its step only",
          "[edf][attack]") {
  WriteJob("image = \"" + OwnImage() + "\"\n");
  // names that were not looked up before, so that the reader is asked
  const std::string ask =
      "echo it runs; i=0; while true; do i=$((i+1)); "
      "case \"$(ls /x$i 2>&1)\" in *endpoint*) break;; esac; done; "
      "echo no file any more";
  // it is stopped, the task waits for it in the kernel, all is cancelled
  std::string job = Start(ask, "it runs");
  REQUIRE(OnNode("pkill -STOP -x carme-image").empty());
  REQUIRE(AsAda("scancel " + job).code == 0);
  CHECK(Until([&] { return Ended(job); }));
  CHECK(Until([] { return Servers().empty(); }));
  CheckNodesStayUp();
  // it is lost: files are, the task is not
  job = Start(ask, "it runs");
  REQUIRE(OnNode("pkill -KILL -x carme-image").empty());
  CHECK(Until([&] { return Ended(job); }));
  CHECK(Contains(AsAda("cat log").text, "no file any more"));
  CheckNodesStayUp();
}

TEST_CASE("user image: is the root of an environment like the site's",
          "[edf]") {
  const Ran ran = InImage(
      "image = \"" + OwnImage() + "\"\n",
      "cat /etc/image; printenv IMAGE; id -u; /usr/bin/suid -u; cat /device; "
      "mkdir /own; echo kept > /own/new; cat /own/new; ls -a /data; "
      "readlink /data/up; stat -c %U /etc/image; ls -d /proc/1");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\nsmall\n20001\n20001\n"));
  CHECK(Contains(ran.text, "/device: Permission denied"));
  CHECK(Contains(ran.text, "kept\n.\n..\nup\n../../../../etc\nroot\n"));
  CHECK(Contains(ran.text, "cannot access '/proc/1'"));
  const Ran closed =
      InImage("image = \"" + OwnImage() + "\"\nwritable = false\n",
              "cat /etc/image; mkdir /own; echo x > /tmp/x; "
              "cat /tmp/x");
  INFO(closed.text);
  CHECK(Contains(closed.text, "small\n"));
  CHECK(Contains(closed.text, "Read-only file system"));
  CHECK(Contains(closed.text, "x\n"));
}

TEST_CASE("user image: all files have their content", "[edf]") {
  // of several blocks, with holes, and more names than one answer holds
  REQUIRE(AsAda("rm -rf files many.sqsh; mkdir -p files/big files/many && "
                "cd files && head -c 3000001 /dev/urandom > big/random && "
                "truncate -s 5M big/hole && echo end >> big/hole && "
                "for i in $(seq 3000); do echo $i > "
                "many/a-name-that-takes-some-room-$i; done; cd .. && "
                "mksquashfs files many.sqsh -quiet -no-progress -noappend "
                "-comp zstd > /dev/null")
              .code == 0);
  const Ran ran = InImage("image = \"" + SmallImage() +
                              "\"\nmounts = [\"/home/ada/files:/files\", "
                              "\"/home/ada/many.sqsh:/mine:sqsh\"]\n",
                          "cd /mine/many; set -- *; echo $# names; cat * > "
                          "/files/names; cat ../big/* > /files/read; "
                          "echo x > new");
  INFO(ran.text);
  CHECK(Contains(ran.text, "3000 names\n"));
  CHECK(Contains(ran.text, "Read-only file system"));
  CHECK(AsAda("cd files; cat big/* | cmp - read && cat many/* | cmp - names")
            .text.empty());
}

TEST_CASE("user image: works as a SIF, on each node and in each task",
          "[edf]") {
  const auto squashfs = ReadFile(SmallImage(), 64 << 20);
  REQUIRE_THAT(squashfs, IsOk());
  REQUIRE_THAT(WriteFile("/home/ada/mine.sif",
                         SifHead(squashfs->size()) + *squashfs, 0644),
               IsOk());
  const Ran ran =
      InImage("image = \"/home/ada/mine.sif\"\n",
              "touch /tmp/$SLURM_PROCID; set --; "
              "while [ $# -lt 2 ]; do sleep 0.1; set -- $(ls /tmp); done; "
              "echo $SLURM_NODEID sees $* in $(cat /etc/image)",
              "-N2 -n4 --ntasks-per-node=2 --overcommit");
  INFO(ran.text);
  CHECK(Contains(ran.text, "0 sees 0 1 in small\n"));
  CHECK(Contains(ran.text, "1 sees 2 3 in small\n"));
}

TEST_CASE("user image: a step that shuts down still has its files", "[edf]") {
  REQUIRE(AsAda("rm -rf out; mkdir out").code == 0);
  WriteJob("image = \"" + OwnImage() +
           "\"\nmounts = [\"/home/ada/out:/out\"]\n");
  const std::string job = Start(
      "trap " +
          InQuotes(
              "(stat -c %n /usr; id -un; echo in order) > /out/end; exit") +
          " TERM; echo it runs; while true; do sleep 0.1; done",
      "it runs");
  REQUIRE(AsAda("scancel " + job).code == 0);
  CHECK(Until([&] { return Ended(job); }));
  CHECK(AsAda("cat out/end").text == "/usr\nada\nin order\n");
}

}  // namespace
}  // namespace carme
