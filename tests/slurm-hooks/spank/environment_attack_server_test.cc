// A user who wants more of a node than is theirs, by way of an environment.
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/slurm-hooks/spank/user_shell.h"
#include "tests/support/wait_for.h"

namespace carme {
namespace {

Ran Try(const std::string& edf, const std::string& script) {
  WriteJob(Contains(edf, "image = ")
               ? edf
               : "image = \"" + SmallImage() + "\"\n" + edf);
  Ran ran =
      AsAda("srun -w n1 --environment=./job.toml sh -c " + InOneStream(script));
  CheckNodesStayUp();
  return ran;
}

// That the environment was refused, and with these words.
void CheckRefused(const std::string& edf, const std::string& words) {
  const Ran ran = Try(edf, "echo it-ran");
  INFO(edf);
  INFO(ran.text);
  CHECK(ran.code != 0);
  CHECK(Contains(ran.text, words));
  CHECK_FALSE(Contains(ran.text, "it-ran"));
}

TEST_CASE("environment: does not mount files that the user cannot open",
          "[edf][attack]") {
  REQUIRE(AsUser("bob", "mkdir -p in; touch in/file").code == 0);
  CheckRefused("mounts = [\"/home/bob/in:/in\"]\n",
               "mount source \"/home/bob/in\": Permission denied");
  CheckRefused("mounts = [\"/etc/munge/munge.key:/key\"]\n",
               "mount source \"/etc/munge/munge.key\": Permission denied");
  REQUIRE(AsAda("ln -sfn /home/bob/in link").code == 0);
  CheckRefused("mounts = [\"/home/ada/link:/in\"]\n", "Permission denied");
  CheckRefused("mounts = [\"/home/ada/../bob/in:/in\"]\n", "Permission denied");
  CheckRefused("image = \"/home/bob/in\"\n", "Permission denied");
  CheckRefused("devices = [\"/dev/carmegpu0\"]\n",
               "open device \"/dev/carmegpu0\": Operation not permitted");
  // what one may name but not read stays unread
  const Ran ran =
      Try("mounts = [\"/etc/shadow:/shadow\"]\n", "cat /shadow; id -u");
  INFO(ran.text);
  CHECK(Contains(ran.text, "Permission denied"));
  CHECK(Contains(ran.text, "20001\n"));
}

// Programs of the node, for an image that has none.
constexpr char kPrograms[] =
    "\nworkdir = \"/\"\nmounts = [\"/usr:/usr\", \"/usr/bin:/bin\", "
    "\"/usr/lib:/lib\", \"/usr/lib64:/lib64\"]\n";

// A directory on n1 by the root of the node, with a file that others may read.
void MakeOnNode(const std::string& path, const std::string& owner,
                const std::string& mode) {
  const Ran made =
      AsRoot("srun -Q -w n1 sh -c " +
             InQuotes("umask 022; mkdir -p " + path +
                      "/var_tmp && echo secret > " + path + "/file && cp " +
                      path + "/file " + path + "/var_tmp && chown -R " + owner +
                      " " + path + " && chmod " + mode + " " + path));
  INFO(made.text);
  REQUIRE(made.code == 0);
}

TEST_CASE("environment: an image directory is not opened to others",
          "[edf][attack]") {
  REQUIRE(AsUser("bob",
                 "mkdir -p in/deep; echo secret > notes; echo secret > "
                 "in/deep/file; chmod 711 in")
              .code == 0);
  MakeOnNode("/etc/carme-site/roots", "root:", "700");
  MakeOnNode("/etc/carme-site/group", "root:", "750");
  MakeOnNode("/run/disk/scratch/4711", "bob:", "700");
  MakeOnNode("/run/carme/jobs/4711", "bob:", "700");
  const auto check_closed = [](const std::string& path,
                               const std::string& words) {
    CheckRefused("image = \"" + path + "\"" + kPrograms, words);
  };
  for (const std::string path :
       {"/home/bob", "/etc/carme-site/roots", "/etc/carme-site/group",
        "/run/disk/scratch/4711", "/run/carme/jobs/4711"}) {
    check_closed(path, "image \"" + path + "\": read it: Permission denied");
  }
  // also where nothing below it is open to others, or the directory may be
  // searched but not listed
  REQUIRE(AsUser("bob", "chmod -R go= .").code == 0);
  check_closed("/home/bob", "read it: Permission denied");
  REQUIRE(AsUser("bob", "chmod 711 .; chmod 755 in").code == 0);
  check_closed("/home/bob", "read it: Permission denied");
  REQUIRE(AsUser("bob", "chmod 700 .").code == 0);
  check_closed("/run/disk/scratch/4711/var_tmp", "Permission denied");
  check_closed("/", "other file systems are mounted in it");
  AsRoot("srun -Q -w n1 rm -rf /run/disk/scratch/4711 /run/carme/jobs/4711");
}

TEST_CASE("environment: a directory below an image is as closed as on the node",
          "[edf][attack]") {
  REQUIRE(
      AsUser("bob", "mkdir -p in; echo secret > in/file; chmod 700 .").code ==
      0);
  const Ran ran = Try(std::string("image = \"/home\"") + kPrograms,
                      "id -un; echo /bob/*; cat /bob/in/file; echo x > /bob/x");
  INFO(ran.text);
  CHECK(Contains(ran.text, "/bob/*\n"));
  CHECK(Contains(ran.text, "/bob/in/file: Permission denied"));
  CHECK_FALSE(Contains(ran.text, "secret"));
  // a destination does not show which names exist there
  for (const std::string name : {"in", "in/file", "missing"}) {
    CheckRefused("image = \"/home\"\nmounts = [\"/tmp:/bob/" + name + "\"]\n",
                 "in the environment: Permission denied");
  }
}

TEST_CASE("environment: an image directory that is closed later is closed",
          "[edf][attack]") {
  const std::string tree = "/etc/carme-site/bobs";
  REQUIRE(AsRoot("rm -rf " + tree + "; cp -a " + SmallDirectory() + " " + tree +
                 " && echo one > " + tree + "/one && echo two > " + tree +
                 "/two && chown -R bob: " + tree + " && chmod 755 " + tree)
              .code == 0);
  REQUIRE(AsAda("rm -f looked closed").code == 0);
  WriteJob("image = \"" + tree + "\"\nmounts = [\"/home/ada\"]\n");
  AsAda("srun -w n1 --environment=./job.toml sh -c " +
        InOneStream("cat /one; touch /home/ada/looked; "
                    "while [ ! -e /home/ada/closed ]; do sleep 0.1; done; "
                    "read x < /two && echo it reads $x; echo /*; echo done") +
        " > log 2>&1 < /dev/null &");
  const auto log = [] { return AsAda("cat log").text; };
  const bool looked =
      testing::WaitFor([] { return AsAda("ls looked").code == 0; });
  INFO(log());
  REQUIRE(looked);
  REQUIRE(AsRoot("chmod 700 " + tree + " && touch /home/ada/closed").code == 0);
  REQUIRE(testing::WaitFor([&] { return Contains(log(), "done\n"); }));
  INFO(log());
  CHECK(Contains(log(), "one\n"));
  CHECK(Contains(log(), "/two: Permission denied"));
  CHECK(Contains(log(), "/*\n"));
  AsRoot("rm -rf " + tree);
}

TEST_CASE("environment: refuses mounts over its own directories",
          "[edf][attack]") {
  for (const std::string path :
       {"/proc", "/proc/sys", "/sys", "/dev", "/dev/null"}) {
    CheckRefused("mounts = [\"/tmp:" + path + "\"]\n",
                 "expected a destination outside of /proc, /sys and /dev");
  }
  // the image's links into it do not help
  CheckRefused("mounts = [\"/tmp:/sneaky\"]\n",
               "lies in what is the environment's own");
  CheckRefused("mounts = [\"/tmp:/sneaky/kernel\"]\n",
               "lies in what is the environment's own");
}

TEST_CASE("environment: a destination cannot leave the environment",
          "[edf][attack]") {
  // data/up is ../../../../etc, which is the image's own
  REQUIRE(AsAda("mkdir -p in; echo mine > in/file").code == 0);
  const Ran ran = Try("mounts = [\"/home/ada/in:/data/up/there\"]\n",
                      "cat /etc/there/file; ls /etc");
  INFO(ran.text);
  CHECK(Contains(ran.text, "mine\n"));
  CHECK(AsRoot("ls /etc/there").code != 0);
}

TEST_CASE("environment: root creates no file in directories of the node",
          "[edf][attack]") {
  // /etc is mounted, and then a destination in it that is not there
  CheckRefused(
      "mounts = [\"/etc:/node\", \"/home/ada:/node/carme-was-here\"]\n",
      "make \"/node/carme-was-here\" in the environment: Permission denied");
  CHECK(AsRoot("ls /etc/carme-was-here").code != 0);
  // where it is the user's own, the user makes it
  REQUIRE(AsAda("mkdir -p in; rm -rf in/made").code == 0);
  CHECK(Try("mounts = [\"/home/ada/in:/in\", \"/tmp:/in/made\"]\n", "ls /in")
            .code == 0);
  CHECK(AsAda("stat -c %U in/made").text == "ada\n");
}

TEST_CASE("environment: gives no user root's rights", "[edf][attack]") {
  // /usr is the node's own, with passwd, su and others in it
  const Ran ran = Try("mounts = [\"/usr:/node\", \"/home/ada:/etc/sub\"]\n",
                      "/usr/bin/suid -u; cat /device; mknod /tmp/d c 1 3; "
                      "cat /proc/self/status; cat /proc/self/mountinfo");
  INFO(ran.text);
  CHECK(Contains(ran.text, "20001\n"));
  CHECK(Contains(ran.text, "/device: Permission denied"));
  CHECK(Contains(ran.text, "mknod: /tmp/d: Operation not permitted"));
  CHECK(Contains(ran.text, "NoNewPrivs:\t1\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    CHECK(Contains(ran.text, std::string(set) + ":\t0000000000000000\n"));
  }
  // each mount of it is without set-user-id programs
  size_t mounts = 0;
  for (size_t at = ran.text.find(" - "); at != std::string::npos;
       at = ran.text.find(" - ", at + 1)) {
    const size_t start = ran.text.rfind('\n', at);
    CHECK(Contains(ran.text.substr(start, at - start), "nosuid"));
    ++mounts;
  }
  CHECK(mounts > 10);
}

TEST_CASE("environment: the kernel mounts no image that a user can change",
          "[edf][attack]") {
  const std::string& image = SmallImage();
  REQUIRE(AsAda("cp " + image + " mine.sqsh").code == 0);
  CheckRefused("image = \"/dev/null\"\n", "expected a file or a directory");
  // one that others may write to, in the site's folder
  REQUIRE(AsRoot("cd /etc/carme-site/images; cp small.sqsh open.sqsh; "
                 "chmod 666 open.sqsh; ln -sf /home/ada/mine.sqsh link.sqsh; "
                 "cp small.sqsh ours.sqsh; chown ada ours.sqsh")
              .code == 0);
  CheckRefused("image = \"open\"\n", "is not on this node");
  CheckRefused("image = \"/etc/carme-site/images/open.sqsh\"\n",
               "has owner 0 and mode 0666: expected owner 0, writable by its "
               "owner only");
  CheckRefused("image = \"/etc/carme-site/images/ours.sqsh\"\n",
               "has owner 20001");
  // a link to one elsewhere is what it leads to (own_image_server_test.cc)
  const Ran ran =
      Try("image = \"/etc/carme-site/images/link.sqsh\"\n", "cat /etc/image");
  INFO(ran.text);
  CHECK(Contains(ran.text, "small\n"));
  CHECK_FALSE(Contains(AsRoot("cat /sys/block/loop*/loop/backing_file").text,
                       "mine.sqsh"));
}

TEST_CASE(
    "environment: a source that is swapped all the time is one or the "
    "other",
    "[edf][attack]") {
  REQUIRE(AsAda("mkdir -p in; rm -f stop").code == 0);
  WriteJob("image = \"" + SmallImage() +
           "\"\nmounts = [\"/home/ada/swapped:/in\"]\n");
  const Ran ran = AsAda(
      "ln -sfn in swapped; (while [ ! -e stop ]; do ln -sfn in x; mv -T x "
      "swapped; ln -sfn /home/bob x; mv -T x swapped; done) & "
      "for i in 1 2 3 4 5 6; do srun -w n1 --environment=./job.toml "
      "ls -d /in /in/in; done; touch stop; wait; rm stop");
  INFO(ran.text);
  CHECK_FALSE(Contains(ran.text, "/in/in\n"));
  CheckNodesStayUp();
}

TEST_CASE("environment: a killed step leaves no mount and no process",
          "[edf]") {
  WriteJob("image = \"" + SmallImage() + "\"\nmounts = [\"/home/ada\"]\n");
  // each ends its own processes as hard as it can; Slurm may lose what such a
  // step has printed last, and a file it does not
  const Ran ran =
      AsAda("rm -f ran; srun -w n1 --environment=./job.toml sh -c " +
            InQuotes("echo $(cat /etc/image) runs > /home/ada/ran; kill -9 0") +
            "; srun -w n1 cat /proc/self/mountinfo");
  INFO(ran.text);
  CHECK(AsAda("cat ran").text == "small runs\n");
  CHECK_FALSE(Contains(ran.text, "/run/carme/env"));
  // Loop devices are the machine's: others' images have other names.
  const std::string image = SmallImage();
  CHECK(testing::WaitFor([&] {
    return !Contains(AsRoot("cat /sys/block/loop*/loop/backing_file").text,
                     image);
  }));
  CheckNodesStayUp();
}

TEST_CASE("environment: shows no process of others", "[edf][attack]") {
  const Ran ran = Try("", "ls -d /proc/1; ls /proc");
  INFO(ran.text);
  CHECK(Contains(ran.text, "cannot access '/proc/1'"));
  CHECK(Contains(ran.text, "cpuinfo"));
}

// A step on n1 that is to share the mounts of the process that ~ada/pid names,
// after `before`.
Ran TryToShare(const std::string& before, const std::string& script) {
  Ran ran = AsAda(before +
                  "; srun -w n1 --mem=100 "
                  "--export=ALL,CARME_JOIN_ENVIRONMENT=/home/ada/pid sh -c " +
                  InOneStream(script) + "; rm -f pid");
  CheckNodesStayUp();
  return ran;
}

TEST_CASE("environment: a step joins the running one or fails",
          "[edf][attack]") {
  const std::pair<const char*, const char*> refused[] = {
      {"rm -f pid", "cannot be found: No such file"},
      {"rm -f pid; mkfifo pid", "has no process id"},
      {"rm -f pid; echo x > pid", "has no process id"},
      {"rm -f pid; echo 4194304999 > pid", "cannot open the environment"},
      // init's, which is root's
      {"rm -f pid; echo 1 > pid", "process 1: Permission denied"}};
  for (const auto& [before, words] : refused) {
    const Ran ran = TryToShare(before, "echo it-ran");
    INFO(before);
    INFO(ran.text);
    CHECK(Contains(ran.text, words));
    CHECK_FALSE(Contains(ran.text, "it-ran"));
  }
}

TEST_CASE("environment: refuses to join mounts made by a user",
          "[edf][attack]") {
  const std::string own = InQuotes(
      "exec unshare --user --map-root-user "
      "--mount sh -c \"echo \\$\\$ > pid.new; mv "
      "pid.new pid; exec sleep 300\"");
  const Ran ran = TryToShare(
      "rm -f pid; srun -w n1 --mem=100 sh -c " + own +
          " > /dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.1; done",
      "echo it-ran");
  AsAda("scancel --user=ada; while squeue -h | grep .; do sleep 0.2; done");
  INFO(ran.text);
  CHECK(Contains(ran.text, "is in mounts of a user namespace"));
  CHECK_FALSE(Contains(ran.text, "it-ran"));
}

TEST_CASE("environment: a joined step has no rights of root", "[edf][attack]") {
  const Ran ran = TryToShare(
      "rm -f pid; srun -w n1 --mem=100 sh -c " +
          InQuotes("echo $$ > pid.new; mv pid.new pid; exec sleep 300") +
          " > /dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.1; done",
      "cat /proc/self/status; su root -c id < /dev/null");
  AsAda("scancel --user=ada; while squeue -h | grep .; do sleep 0.2; done");
  INFO(ran.text);
  CHECK(Contains(ran.text, "NoNewPrivs:\t1\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    CHECK(Contains(ran.text, std::string(set) + ":\t0000000000000000\n"));
  }
  CHECK_FALSE(Contains(ran.text, "uid=0"));
}

}  // namespace
}  // namespace carme
