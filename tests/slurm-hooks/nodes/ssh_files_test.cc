#include "slurm-hooks/nodes/ssh_files.h"

#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>

#include "common/file.h"
#include "slurm-hooks/nodes/ssh_key.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::node {
namespace {

std::string Output(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen((command + " 2>&1").c_str(), "r"), pclose);
  std::array<char, 4096> buffer;
  const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
  return std::string(buffer.data(), got);
}

v1::NodeList OneNode() {
  v1::NodeList list;
  v1::JobNode& node = *list.add_nodes();
  node.set_name("n2");
  node.set_address("10.0.0.2");
  node.set_ssh_port(40022);
  return list;
}

TEST_CASE("ssh: keys are unique", "[nodes]") {
  const auto one = NewSshKeys("carme-a");
  const auto other = NewSshKeys("carme-a");
  REQUIRE((one.ok() && other.ok()));
  CHECK(one->user_public() != one->host_public());
  CHECK(one->user_public() != other->user_public());
  CHECK(one->host_public() != other->host_public());
}

TEST_CASE("ssh: ssh-keygen derives the public key from the private one",
          "[nodes]") {
  const TempDir dir;
  for (int i = 0; i < 8; ++i) {
    const auto key = NewSshKey("a job's");
    REQUIRE_THAT(key, IsOk());
    REQUIRE_THAT(WriteFile(dir.File("id"), key->private_text, 0600), IsOk());
    CHECK(Output("ssh-keygen -y -P '' -f " + dir.File("id")) ==
          key->public_line + "\n");
  }
}

TEST_CASE("ssh: keys are the user's alone", "[nodes]") {
  const TempDir dir;
  const auto keys = NewSshKeys("carme");
  REQUIRE_THAT(keys, IsOk());
  REQUIRE_THAT(WriteSshKeys(dir.path(), *keys), IsOk());
  struct stat info {};
  for (const char* name : {"host_key", "id", "authorized_keys"}) {
    REQUIRE(stat((SshDirectory(dir.path()) + "/" + name).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  REQUIRE(stat(SshDirectory(dir.path()).c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
}

TEST_CASE("ssh: reaches the job's nodes with any settings of the user",
          "[nodes]") {
  const TempDir dir;
  REQUIRE(mkdir(SshDirectory(dir.path()).c_str(), 0700) == 0);
  REQUIRE_THAT(WriteFile(SshHostsPath(dir.path()),
                         SshHostsText(OneNode(), dir.path(), "ada"), 0600),
               IsOk());
  REQUIRE_THAT(
      WriteFile(dir.File("config"),
                "Include " + SshHostsPath(dir.path()) +
                    "\nHost *\n  Port 2222\n  User eve\n  ProxyCommand x\n"
                    "  StrictHostKeyChecking no\n",
                0600),
      IsOk());
  const std::string seen = Output("ssh -G -F " + dir.File("config") + " n2");
  INFO(seen);
  for (const char* line :
       {"port 40022\n", "user ada\n", "hostname 10.0.0.2\n",
        "stricthostkeychecking true\n", "identitiesonly yes\n"}) {
    INFO(line);
    CHECK(seen.find(line) != std::string::npos);
  }
  CHECK(seen.find("\nproxycommand") == std::string::npos);
  CHECK(Output("ssh -G -F " + dir.File("config") + " elsewhere")
            .find("port 2222\n") != std::string::npos);
}

TEST_CASE("sshd: a value cannot become a line of its settings", "[nodes]") {
  const std::string text = SshdConfigText(
      "/run/7", {"A=x\nPasswordAuthentication yes", "B=say \"x\" \\ #"});
  CHECK(text.find("PasswordAuthentication yes") == std::string::npos);
  CHECK(text.find("SetEnv \"B=say \\\"x\\\" \\\\ #\"\n") != std::string::npos);
}

}  // namespace
}  // namespace carme::node
