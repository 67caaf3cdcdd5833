// A rendered text has the same meaning when it is read again, as TOML by our
// own reader and as JSON by another's.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/edf/text.h"
#include "tests/common/edf/memory_files.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Edf Environment() {
    Edf edf;
    edf.image = Image();
    for (size_t i = Below(4); i > 0; --i) {
      const EdfMount mount = Mount();
      if (std::find(edf.mounts.begin(), edf.mounts.end(), mount) ==
          edf.mounts.end()) {
        edf.mounts.push_back(mount);
      }
    }
    if (Below(2) == 0) edf.workdir = Path();
    edf.writable = Below(2) == 0;
    edf.entrypoint = Below(2) == 0;
    if (Below(2) == 0) edf.devices = {"nvidia.com/gpu=all", "/dev/fuse"};
    for (size_t i = Below(5); i > 0; --i) edf.env[Word("=")] = Value();
    for (size_t i = Below(5); i > 0; --i) {
      edf.annotations[Word("") + "." + Word("")] = Value();
    }
    return edf;
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }

  std::string Pieces(const std::vector<std::string>& pieces, size_t max) {
    std::string text;
    for (size_t i = Below(max); i > 0; --i)
      text += pieces[Below(pieces.size())];
    return text;
  }
  std::string Value() {
    return Pieces(
        {"$", "{",       "}",  "${USER}", "$$",   ":", "\"", "\\",
         "'", "\n",      "\t", "\x01",    "\x7f", "ö", "日", "\xf0\x9f\x98\x80",
         "a", "\\u0041", "#",  "]",       "="},
        12);
  }
  std::string Word(const std::string& without) {
    std::string word =
        "k" + Pieces({"$", "{", "\"", "\\", "a", "ö", " ", "'", "]", "="}, 6);
    std::erase_if(word,
                  [&](char c) { return without.find(c) != std::string::npos; });
    return word;
  }
  std::string Path() {
    return "/p" + Pieces({"$", "{", "}", "${A}", "/x", "ö", " ", "\"", "\\",
                          "-", "+", ","},
                         8);
  }
  EdfMount Mount() {
    static const std::vector<std::set<std::string>> flags = {
        {}, {"ro"}, {"nodev", "private", "ro"}, {"sqsh"}};
    return {Path(), Path(), flags[Below(flags.size())]};
  }
  EdfImage Image() {
    using Kind = EdfImage::Kind;
    switch (Below(3)) {
      case 0:
        return {Kind::kPath, Path(), "", "", "", "", ""};
      case 1:
        return {Kind::kStore, "", "", "", "torch", "2", ""};
      default:
        return {Kind::kRegistry, "", "$oauthtoken", "nvcr.io", "nvidia/pytorch",
                "22.12-py3",     ""};
    }
  }

  std::mt19937 random_;
};

TEST_CASE("round trip: rendered TOML renders to itself", "[edf]") {
  Generator generator(1);
  for (int i = 0; i < 2000; ++i) {
    const Edf edf = generator.Environment();
    const std::string text = EdfToToml(edf);
    INFO(text);
    const EdfResult again = ReadRenderedEdf(text);
    CAPTURE(Text(again.problems));
    REQUIRE(again.edf);
    REQUIRE(*again.edf == edf);
    REQUIRE(EdfToToml(*again.edf) == text);
    REQUIRE(again.warnings.empty());
  }
}

std::map<std::string, std::string> Strings(
    const google::protobuf::Value& value) {
  std::map<std::string, std::string> strings;
  for (const auto& [key, entry] : value.struct_value().fields()) {
    strings[key] = entry.string_value();
  }
  return strings;
}

std::vector<std::string> List(const google::protobuf::Value& value) {
  std::vector<std::string> list;
  for (const auto& entry : value.list_value().values()) {
    list.push_back(entry.string_value());
  }
  return list;
}

TEST_CASE("round trip: rendered JSON is read by others as it is", "[edf]") {
  Generator generator(2);
  for (int i = 0; i < 500; ++i) {
    const Edf edf = generator.Environment();
    const std::string text = EdfToJson(edf);
    INFO(text);
    google::protobuf::Struct json;
    REQUIRE_THAT(google::protobuf::util::JsonStringToMessage(text, &json),
                 IsOk());
    const auto& fields = json.fields();
    CHECK(fields.size() == 8);
    CHECK(fields.at("image").string_value() == ImageText(edf.image));
    REQUIRE(List(fields.at("mounts")).size() == edf.mounts.size());
    for (size_t m = 0; m < edf.mounts.size(); ++m) {
      CHECK(List(fields.at("mounts"))[m] == MountText(edf.mounts[m]));
    }
    CHECK(fields.at("workdir").string_value() == edf.workdir);
    CHECK(fields.at("writable").bool_value() == edf.writable);
    CHECK(fields.at("entrypoint").bool_value() == edf.entrypoint);
    CHECK(List(fields.at("devices")) == edf.devices);
    CHECK(Strings(fields.at("env")) == edf.env);
    CHECK(Strings(fields.at("annotations")) == edf.annotations);
  }
}

TEST_CASE("round trip: a rendered text needs no look-up", "[edf]") {
  CHECK(Numbers(ReadRenderedEdf("image = \"${HOME}\"").problems) ==
        std::vector<int>{17});
  CHECK_FALSE(
      ReadRenderedEdf("image = \"a\"\nbase_environment = \"/etc/edf/a.toml\"")
          .edf);
}

}  // namespace
}  // namespace carme
