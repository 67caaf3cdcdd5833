#include "tests/slurm-hooks/spank/user_shell.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "common/file.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

constexpr char kPlugin[] = "/opt/carme/lib/carme/spank_carme_env.so";

// ctest reads 77 as a skip.
[[maybe_unused]] const bool installed = [] {
  if (access(kPlugin, R_OK) == 0) return true;
  std::fprintf(stderr, "skipped: %s is not there\n", kPlugin);
  std::_Exit(77);
}();

Ran Run(const std::string& line) {
  FILE* const pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    text.append(buffer, got);
  }
  return {WEXITSTATUS(pclose(pipe)), text};
}

// $1: the tree to make. Libraries keep their paths.
constexpr char kMakeTree[] =
    "set -e; t=$1; mkdir -p $t/etc $t/tmp $t/proc $t/data $t/usr/bin; "
    "chmod 1777 $t/tmp; "
    "for l in bin sbin lib lib64; do mkdir -p $t/usr/$l; "
    "ln -s usr/$l $t/$l; done; "
    "for p in sh cat ls id env printenv mkdir touch rm readlink stat sleep "
    "head mknod tty; do cp $(readlink -f $(command -v $p)) $t/usr/bin/$p; "
    "ldd $t/usr/bin/$p | grep -o \"/[^ ]*\" >> $t.libraries || true; done; "
    "sort -u $t.libraries | while read l; do "
    "cp --parents $(readlink -f $l) $t/; "
    "[ $(readlink -f $l) = $l ] || { mkdir -p $t$(dirname $l); "
    "cp -n $(readlink -f $l) $t$l; }; done; "
    "cp $t/usr/bin/id $t/usr/bin/suid; chmod 4755 $t/usr/bin/suid; "
    "mknod -m 666 $t/device c 1 3; "
    "echo root:x:0:0::/:/bin/sh > $t/etc/passwd; "
    "echo small > $t/etc/image; echo IMAGE=small > $t/etc/environment; "
    "ln -s /proc/sys $t/sneaky; ln -s ../../../../etc $t/data/up";

std::string MakeImage() {
  const std::string path = "/etc/carme-site/images/small.sqsh";
  const Ran made =
      Run("exec 2>&1; d=$(mktemp -d) && (sh -c '" + std::string(kMakeTree) +
          "' sh $d/t) && mksquashfs $d/t " + path + " -quiet -no-progress " +
          "-noappend > /dev/null && chmod 644 " + path + " && rm -rf $d");
  INFO(made.text);
  REQUIRE(made.code == 0);
  return path;
}

std::string MakeDirectory() {
  const std::string path = "/home/ada/unpacked";
  const Ran made = Run("unsquashfs -q -n -d " + path + " " + SmallImage() +
                       " > /dev/null 2>&1; rm -f " + path +
                       "/device; chown -R ada: " + path + " 2>&1");
  INFO(made.text);
  REQUIRE(made.code == 0);
  return path;
}

}  // namespace

Ran AsUser(const std::string& user, const std::string& script) {
  return Run("runuser -u " + user + " -- env -i HOME=/home/" + user + " USER=" +
             user + " PATH=/usr/bin:/bin sh -c 'cd; " + script + "' 2>&1");
}

Ran AsAda(const std::string& script) { return AsUser("ada", script); }

Ran AsRoot(const std::string& script) { return Run("(" + script + ") 2>&1"); }

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void CheckNodesStayUp() {
  CHECK_FALSE(Contains(AsAda("sinfo -h -N -o %T").text, "drain"));
}

void WriteJob(const std::string& text) {
  REQUIRE_THAT(WriteFile("/home/ada/job.toml", text, 0644), IsOk());
}

std::string InQuotes(const std::string& script) {
  std::string quoted = "\"";
  for (const char c : script) {
    if (c == '"' || c == '$' || c == '\\' || c == '`') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string InOneStream(const std::string& script) {
  return InQuotes("exec 2>&1; " + script + "; true");
}

const std::string& SmallImage() {
  static const auto* const path = new std::string(MakeImage());
  return *path;
}

const std::string& SmallDirectory() {
  static const auto* const path = new std::string(MakeDirectory());
  return *path;
}

}  // namespace carme
