#include "backend/privileged/job_script.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

TEST_CASE("job script: is the same for every job", "[backend]") {
  ImpersonatorConfig config;
  config.agent = "/opt/carme/libexec/carme/carme-agent";
  CHECK(JobScript(config) ==
        "#!/bin/sh\n"
        "exec /opt/carme/libexec/carme/carme-agent --config "
        "/etc/carme/agent.toml\n");
}

TEST_CASE("job script: the environment holds nothing of a request",
          "[backend]") {
  Account account;
  account.name = "ada";
  account.home = "/home/ada";
  CHECK(JobEnvironment(account) ==
        std::vector<std::string>{"HOME=/home/ada", "USER=ada", "LOGNAME=ada",
                                 "PATH=/usr/local/bin:/usr/bin:/bin",
                                 "LANG=C.UTF-8"});
}

TEST_CASE("job script: a home's per cent signs are not Slurm's", "[backend]") {
  Account account;
  account.home = "/home/100%j";
  CHECK(JobLogPattern(account, "abcdefghijklmno1") ==
        "/home/100%%j/.carme/abcdefghijklmno1.log");
}

TEST_CASE("job script: each task of an array has a log of its own",
          "[backend]") {
  Account account;
  account.home = "/home/ada";
  CHECK(JobLogPattern(account, "abcdefghijklmno1", true) ==
        "/home/ada/.carme/abcdefghijklmno1_%a.log");
  CHECK(JobLogName("abcdefghijklmno1", "", 7) == "abcdefghijklmno1_7.log");
}

TEST_CASE("job script: long jobs are told of their end, short ones are not",
          "[backend]") {
  for (const int minutes : {0, 1, 9}) CHECK(EndNoticeSeconds(minutes) == 0);
  CHECK(EndNoticeSeconds(10) == 60);
  CHECK(EndNoticeSeconds(15) == 90);
  CHECK(EndNoticeSeconds(99) == 594);
  for (const int minutes : {100, 1440, 2147483647}) {
    CHECK(EndNoticeSeconds(minutes) == 600);
  }
}

}  // namespace
}  // namespace carme
