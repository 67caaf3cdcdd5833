#include "backend/privileged/impersonator/operations/job_script.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/privileged/impersonator/operations/own_job.h"

namespace carme::impersonator {
namespace {

TEST_CASE("job script: contains two ids and executes the agent", "[backend]") {
  ImpersonatorConfig config;
  config.agent = "/opt/carme/libexec/carme/carme-agent";
  CHECK(JobScript(config, "abcdefghijklmno1", "r-12345678") ==
        "#!/bin/sh\n"
        "# carme-job abcdefghijklmno1\n"
        "export CARME_REQUEST_ID=r-12345678\n"
        "exec /opt/carme/libexec/carme/carme-agent --config "
        "/etc/carme/agent.toml\n");
}

TEST_CASE("own job: a comment is not accepted as proof", "[backend]") {
  const std::string id = "abcdefghijklmno1", other = "abcdefghijklmno2";
  const std::string script = JobScript(ImpersonatorConfig(), id, "r-1");
  CHECK_FALSE(IsCarmeJob(script, "carme:" + other, other));
  CHECK_FALSE(IsCarmeJob("#!/bin/sh\nsleep 60\n", "", id));
  CHECK_FALSE(IsCarmeJob("#!/bin/sh\nsleep 60\n", "carme:" + other, id));
  CHECK_FALSE(IsCarmeJob("#!/bin/sh\nsleep 60\n", "carme:" + id, id));
  CHECK_FALSE(IsCarmeJob("", "", id));
  CHECK_FALSE(IsCarmeJob("", "carme:" + id, id));
  CHECK_FALSE(IsCarmeJob("#!/bin/sh\n# carme-job \n", "", ""));
  for (const std::string comment : {"", "note", "carme:abcdefghijklmno2"}) {
    CHECK(IsCarmeJob(script, comment, id));
  }
  // A plugin of the site has added lines.
  CHECK(IsCarmeJob("#!/bin/sh\n#SBATCH -A x" + script, "", id));
  // An earlier release's script has no id.
  const std::string earlier = "#!/bin/sh\nexec /a/agent --config /a/b.toml\n";
  CHECK(IsCarmeJob(earlier, "carme:" + id, id));
  CHECK_FALSE(IsCarmeJob(earlier, "", id));
}

TEST_CASE("job script: the environment contains nothing of a request",
          "[backend]") {
  Account account;
  account.name = "ada";
  account.home = "/home/ada";
  CHECK(JobEnvironment(account) ==
        std::vector<std::string>{"HOME=/home/ada", "USER=ada", "LOGNAME=ada",
                                 "PATH=/usr/local/bin:/usr/bin:/bin",
                                 "LANG=C.UTF-8"});
}

TEST_CASE("job script: escapes percent signs of a home", "[backend]") {
  Account account;
  account.home = "/home/100%j";
  CHECK(JobLogPattern(account, "abcdefghijklmno1") ==
        "/home/100%%j/.carme/abcdefghijklmno1.log");
}

TEST_CASE("job script: each array task has its own log", "[backend]") {
  Account account;
  account.home = "/home/ada";
  CHECK(JobLogPattern(account, "abcdefghijklmno1", true) ==
        "/home/ada/.carme/abcdefghijklmno1_%a.log");
  CHECK(JobLogName("abcdefghijklmno1", "", 7) == "abcdefghijklmno1_7.log");
}

TEST_CASE("job script: only long jobs are signalled before their end",
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
}  // namespace carme::impersonator
