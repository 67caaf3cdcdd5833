#include "backend/policy/checks/staging.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

std::string Said(const JobSpec& spec) {
  const std::vector<Violation> violations = CheckStage(spec);
  if (violations.empty()) return "";
  CHECK(violations.size() == 1);
  CHECK(violations[0].refusal == Refusal::kInvalid);
  return violations[0].field + ": " + violations[0].message.text;
}

TEST_CASE("staging: refuses paths outside of the scratch directory",
          "[policy]") {
  for (const char* path :
       {"/etc", "..", "../x", "a/../../x", "a/..", ".", "./", "~/x", "/"}) {
    INFO(path);
    const std::string wrong =
        "\"" + std::string(path) +
        "\" is not in the job's scratch: expected a relative path without "
        "\"..\"";
    CHECK(Said({.stage_in = {{"data", path}}}) == "stageIn: " + wrong);
    CHECK(Said({.stage_out = {{path, "results"}}}) == "stageOut: " + wrong);
  }
}

TEST_CASE("staging: refuses paths that cannot be shown, and too many",
          "[policy]") {
  const std::string wrong =
      "stageIn: a path is empty, longer than 1024 bytes or contains a "
      "non-printable character";
  for (const std::string& path :
       {std::string(), std::string("a\nb"), std::string("a\0b", 3),
        std::string(1025, 'x'), std::string("\xff")}) {
    INFO(path);
    CHECK(Said({.stage_in = {{path, "x"}}}) == wrong);
    CHECK(Said({.stage_in = {{"x", path}}}) == wrong);
  }
  const std::vector<StageItem> many(17, {"a", "b"});
  CHECK(Said({.stage_out = many}) ==
        "stageOut: 17 items to copy: expected at most 16");
}

TEST_CASE("staging: accepts absolute paths, paths in the home, and names",
          "[policy]") {
  CHECK(Said({.stage_in = {{"/data/set", "set"},
                           {"~/code", "code/now"},
                           {"../shared", "..name"}},
              .stage_out = {{"out/", "/project/out"}, {"./a", "a"}}})
            .empty());
  CHECK(Said({}).empty());
}

}  // namespace
}  // namespace carme::backend
