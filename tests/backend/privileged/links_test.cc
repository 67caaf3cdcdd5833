// What the root programs are made of.
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace {

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  REQUIRE(pclose(pipe) == 0);
  return output;
}

TEST_CASE("impersonator: links no network stack but libslurm", "[backend]") {
  const std::string libraries = OutputOf("ldd " CARME_IMPERSONATOR);
  CHECK_THAT(libraries, Catch::Contains("libslurm"));
  for (const char* name : {"grpc", "gpr", "libldap", "libsqlite", "libssl",
                           "libcurl", "libcares"}) {
    CHECK_THAT(libraries, !Catch::Contains(name));
  }
}

TEST_CASE("storage reader: links neither libslurm nor a network stack",
          "[backend]") {
  const std::string libraries = OutputOf("ldd " CARME_STORAGE_READER);
  for (const char* name : {"slurm", "grpc", "gpr", "libldap", "libsqlite",
                           "libssl", "libcurl", "libcares"}) {
    CHECK_THAT(libraries, !Catch::Contains(name));
  }
}

TEST_CASE("root programs: neither contains the other's messages", "[backend]") {
  const auto mentions = [](const std::string& program,
                           const std::string& type) {
    return OutputOf("grep -c 'privileged/v1/" + type + "[.]proto' " + program +
                    " || true") != "0\n";
  };
  CHECK(mentions(CARME_IMPERSONATOR, "privileged"));
  CHECK_FALSE(mentions(CARME_IMPERSONATOR, "storage"));
  CHECK(mentions(CARME_STORAGE_READER, "storage"));
  CHECK_FALSE(mentions(CARME_STORAGE_READER, "privileged"));
}

}  // namespace
