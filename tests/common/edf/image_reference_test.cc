#include "common/edf/image_reference.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

const std::string kDigest(64, 'a');

std::optional<EdfImage> Parse(const std::string& text, EdfProblems* problems) {
  return ParseImage({text, {"x.toml", 1}, "image"}, "/here", problems);
}

TEST_CASE("image: refuses malformed references", "[edf]") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"/images/a:b.sqsh", 9},  {"docker://ubuntu:24.04", 101},
      {"ubuntu:", 101},         {"ubuntu:a b", 101},
      {":latest", 101},         {"#ubuntu", 101},
      {"nvcr.io#", 101},        {"@ubuntu", 101},
      {"a@b@ubuntu", 101},      {"a//b", 101},
      {"a/../b", 101},          {"-x", 101},
      {"ubuntu;id", 101},       {"ubuntu@sha256:abc", 101},
      {"nvcr.io#a#b", 101},     {"store#", 101},
      {"ada@store#torch", 101}, {"store#torch@sha256:" + kDigest, 101}};
  for (const auto& [text, number] : cases) {
    INFO(text);
    EdfProblems problems;
    CHECK_FALSE(Parse(text, &problems));
    REQUIRE(problems.list().size() == 1);
    CHECK(static_cast<int>(problems.list()[0].number) == number);
  }
}

TEST_CASE("image: Docker's spellings that mean something else are warned of",
          "[edf]") {
  const auto warning = [](const std::string& text) {
    EdfProblems problems;
    const auto image = Parse(text, &problems);
    REQUIRE(image);
    return ReferenceWarning(*image).text;
  };
  CHECK(warning("nvcr.io/nvidia/pytorch:24.01") ==
        "refers to Docker Hub: if \"nvcr.io\" is a registry, write "
        "\"nvcr.io#nvidia/pytorch:24.01\"");
  CHECK(warning("ubuntu@sha256:" + kDigest).empty());
  CHECK(warning("ubuntu@sha256") ==
        "names image \"sha256\" for user \"ubuntu\": for a digest write "
        "\"ubuntu@sha256:\" and its 64 hexadecimal digits");
  for (const char* text : {"nvidia/pytorch:24.01", "nvcr.io#nvidia/pytorch",
                           "python3.12", "store#a.b/c", "/x/y.z/image"}) {
    INFO(text);
    CHECK(warning(text).empty());
  }
}

TEST_CASE("image: distinguishes files, the store and registries", "[edf]") {
  using Kind = EdfImage::Kind;
  // kind, path, user, registry, name, tag, digest
  const std::vector<std::pair<std::string, EdfImage>> cases = {
      {"/images/x.sqsh", {Kind::kPath, "/images/x.sqsh", "", "", "", "", ""}},
      {"./x.sif", {Kind::kPath, "/here/x.sif", "", "", "", "", ""}},
      {"store#torch", {Kind::kStore, "", "", "", "torch", "", ""}},
      {"store#torch:2.4", {Kind::kStore, "", "", "", "torch", "2.4", ""}},
      {"ubuntu:latest", {Kind::kRegistry, "", "", "", "ubuntu", "latest", ""}},
      {"docker.io#library/ubuntu:24.04",
       {Kind::kRegistry, "", "", "docker.io", "library/ubuntu", "24.04", ""}},
      {"$oauthtoken@nvcr.io#nvidia/pytorch:22.12-py3",
       {Kind::kRegistry, "", "$oauthtoken", "nvcr.io", "nvidia/pytorch",
        "22.12-py3", ""}},
      {"ada@ubuntu", {Kind::kRegistry, "", "ada", "", "ubuntu", "", ""}},
      {"r.site.test:5000#a/b@sha256:" + kDigest,
       {Kind::kRegistry, "", "", "r.site.test:5000", "a/b", "", kDigest}}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    EdfProblems problems;
    const auto image = Parse(text, &problems);
    CAPTURE(problems.status().message());
    REQUIRE(image);
    CHECK(*image == expected);
    if (text[0] != '.') CHECK(ImageText(*image) == text);
  }
}

}  // namespace
}  // namespace carme
