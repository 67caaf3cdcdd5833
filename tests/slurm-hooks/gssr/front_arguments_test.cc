#include "slurm-hooks/gssr/front_arguments.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::gssr {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("gssr: refuses what gssr 0.3 does not have", "[gssr]") {
  const std::pair<Words, std::string> refused[] = {
      {{}, "expected gssr profile or gssr analyze"},
      {{"record"}, "expected gssr profile or gssr analyze"},
      {{"profile"}, "--wrap needs a value"},
      {{"profile", "-w"}, "--wrap needs a value"},
      {{"profile", "-w", ""}, "--wrap needs a value"},
      {{"profile", "-w", "a", "-i", "b"},
       "\"-i\" is no option of gssr profile"},
      {{"profile", "-w", "a", "--append=1"}, "is no option of gssr profile"},
      {{"profile", "-w", "a", "b"}, "\"b\" is no option of gssr profile"},
      {{"analyze"}, "--input needs a value"},
      {{"analyze", "-w", "a"}, "\"-w\" is no option of gssr analyze"}};
  for (const auto& [words, reason] : refused) {
    CHECK_THAT(ParseFrontArguments(words, "7"),
               StatusIs(absl::StatusCode::kInvalidArgument, reason));
  }
  CHECK(ParseFrontArguments({"profile", "--help"}, "7")->command.empty());
}

TEST_CASE("gssr: profile is gssr-record with a shell", "[gssr]") {
  const auto least = ParseFrontArguments({"profile", "-w", "a | b"}, "7");
  REQUIRE_THAT(least, IsOk());
  CHECK(least->command == Words{"gssr-record", "-o", "profile_out_JobID_7",
                                "--label", "unlabeled", "--", "/bin/sh", "-c",
                                "a | b"});
  CHECK(least->recording_folder == "profile_out_JobID_7");
  const auto all =
      ParseFrontArguments({"profile", "--wrap=a", "-l", "x", "-m", "60", "-t",
                           "500", "-f", "-a", "--output-folder", "out"},
                          "7");
  REQUIRE_THAT(all, IsOk());
  CHECK(all->command == Words{"gssr-record", "-o", "out", "--label", "x",
                              "--max-runtime", "60", "--sampling-time", "500",
                              "--", "/bin/sh", "-c", "a"});
  CHECK(all->recording_folder.empty());
  // another step of the same folder
  CHECK(ParseFrontArguments({"profile", "-w", "a", "-a"}, "7")
            ->recording_folder == "profile_out_JobID_7");
}

TEST_CASE("gssr: analyze is gssr-analyze", "[gssr]") {
  const auto least = ParseFrontArguments({"analyze", "-i", "in"}, "7");
  REQUIRE_THAT(least, IsOk());
  CHECK(least->command == Words{"gssr-analyze", "--text-only", "--", "in"});
  CHECK_FALSE(least->is_silent);
  const auto all = ParseFrontArguments(
      {"analyze", "--input", "in", "-s", "-rp", "-o", "out", "-e", "x.sqlite3"},
      "7");
  REQUIRE_THAT(all, IsOk());
  CHECK(all->command == Words{"gssr-analyze", "-o", "out/gssr-report.pdf",
                              "--export", "x.sqlite3", "--", "in"});
  CHECK(all->is_silent);
  CHECK(all->new_file == "x.sqlite3");
  const auto forced = ParseFrontArguments(
      {"analyze", "-i", "in", "-e", "x.sqlite3", "-f"}, "7");
  CHECK(forced->new_file.empty());
  CHECK(ParseFrontArguments({"analyze", "-i", "in", "-e", ":memory:"}, "7")
            ->command == least->command);
}

}  // namespace
}  // namespace carme::gssr
