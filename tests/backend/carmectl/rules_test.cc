// carmectl rules, as an administrator calls it.
#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

constexpr char kRules[] =
    "rules:\n- name: idle\n  title: Idle\n  severity: info\n  per: [gpu]\n"
    "  for: 1m\n  when: [{series: util, below: 0.1}]\n  remedy: Stop it.\n";

class RulesTest {
 public:
  void Write(const std::string& name, const std::string& text) {
    REQUIRE_THAT(WriteFile(directory_.File(name), text, 0600), IsOk());
  }
  int Run(const std::string& arguments) {
    const int status =
        system(absl::StrCat("cd ", directory_.path(), " && ", CARME_CARMECTL,
                            " rules test ", arguments, " >out 2>error")
                   .c_str());
    return WEXITSTATUS(status);
  }
  std::string Output() const {
    return ReadFile(directory_.File("out")).value_or("");
  }
  std::string Error() const {
    return ReadFile(directory_.File("error")).value_or("");
  }

 private:
  TempDir directory_;
};

TEST_CASE("carmectl rules: refuses a file with its line", "[carmectl]") {
  RulesTest test;
  test.Write("r.yaml", "rules:\n- name: A\n");
  CHECK(test.Run("r.yaml") == 1);
  CHECK(test.Error() ==
        "carmectl: r.yaml:2: \"name\" is \"A\": expected lower-case letters, "
        "digits and \"-\"\n");
  CHECK(test.Run("none.yaml") == 1);
  CHECK(test.Run("") == 2);
  test.Write("r.yaml", kRules);
  test.Write("s.csv", "x\n");
  CHECK(test.Run("r.yaml s.csv") == 1);
  CHECK(
      absl::StartsWith(test.Error(), "carmectl: s.csv:1: expected the header"));
}

TEST_CASE("carmectl rules: prints findings with their samples", "[carmectl]") {
  RulesTest test;
  test.Write("r.yaml", kRules);
  CHECK(test.Run("r.yaml") == 0);
  CHECK(test.Output() == "r.yaml: 1 valid rules\n");
  std::string samples = "time_s,node,name,labels,value\n";
  for (int s = 1'800'000'000; s < 1'800'000'100; s += 10) {
    absl::StrAppend(&samples, s, ",n1,util,gpu=0,0.05\n", s,
                    ",n1,util,gpu=1,0.9\n");
  }
  test.Write("s.csv", samples);
  CHECK(test.Run("r.yaml s.csv") == 0);
  CHECK(test.Output() ==
        "r.yaml: 1 valid rules\n"
        "\ninfo: Idle (rule idle, gpu 0)\n"
        "  from 2027-01-15T08:00:00Z to 2027-01-15T08:01:30Z, for 1m40s\n"
        "  util: mean 0.05, 0.05 to 0.05 (below 0.1)\n"
        "  Stop it.\n"
        "\n1 findings\n");
}

TEST_CASE("carmectl rules: prints the labels of an event of a node",
          "[carmectl]") {
  RulesTest test;
  test.Write("r.yaml",
             "rules:\n- name: xid\n  title: Xid\n  severity: error\n"
             "  concerns: node\n  per: [node, gpu, code]\n"
             "  when: [{event: xid, except: {code: '31'}}]\n"
             "  remedy: Report it.\n");
  test.Write("s.csv",
             "time_s,node,name,labels,value\n"
             "1800000000,n1,util,gpu=0,0.5\n1800000060,n1,util,gpu=0,0.5\n"
             "1800000030,n1,event:xid,code=31;gpu=0,0\n"
             "1800000030,n1,event:xid,code=79;gpu=0;uuid=GPU-1,0\n");
  CHECK(test.Run("r.yaml s.csv") == 0);
  CHECK(test.Output() ==
        "r.yaml: 1 valid rules\n"
        "\nerror: Xid (rule xid, code 79, gpu 0, node n1)\n"
        "  from 2027-01-15T08:00:00Z to 2027-01-15T08:01:00Z, for 1m\n"
        "  event xid (uuid=GPU-1) at 2027-01-15T08:00:00Z\n"
        "  recorded in the history of the node\n"
        "  Report it.\n"
        "\n1 findings\n");
}

}  // namespace
}  // namespace carme::carmectl
