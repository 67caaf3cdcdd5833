#include "frontend/branding.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::frontend {
namespace {

struct Read {
  Branding branding;
  std::string errors;
};

Read ReadText(const std::string& text) {
  ConfigFile file = ConfigFile::Parse(text, "frontend.toml").value();
  Read read;
  ReadBranding(file.root(), &read.branding);
  read.errors = std::string(file.Finish().message());
  return read;
}

std::string FieldOf(const Branding& branding, const std::string& name) {
  for (const PageField& field : BrandingFields(branding)) {
    if (field.name == name) return field.content;
  }
  return "no field";
}

TEST_CASE("branding: refuses colours on which text is hard to read",
          "[frontend]") {
  struct Case {
    const char* color;
    const char* color_dark;
    const char* expected;
  };
  for (const Case& row :
       {Case{"green", "#86bdf5", "\"green\": expected #rrggbb"},
        {"#12345g", "#86bdf5", "expected #rrggbb"},
        {"#ffc857", "#86bdf5", "expected a darker colour"},
        {"#6fa0d0", "#86bdf5", "expected a darker colour"},
        {"#14508c", "#14508c", "expected a lighter colour"},
        {"#14508c", "", "expected both"},
        {"", "#86bdf5", "expected both"}}) {
    CAPTURE(row.color, row.color_dark);
    std::string text;
    if (*row.color) text += "color = \"" + std::string(row.color) + "\"\n";
    if (*row.color_dark)
      text += "color_dark = \"" + std::string(row.color_dark) + "\"\n";
    CHECK_THAT(ReadText(text).errors, Catch::Contains(row.expected));
  }
}

TEST_CASE("branding: refuses names, logos and links that pages cannot show",
          "[frontend]") {
  for (const std::string& text :
       {std::string("name = \"\"\n"), "name = \"" + std::string(41, 'x') + "\"",
        std::string("name = \"a\\nb\""), std::string("logo = \"logo.svg\""),
        std::string("logo = \"/etc/passwd\""),
        "login_message = \"" + std::string(1001, 'x') + "\"",
        std::string("login_message = \"a\\u0007\""),
        std::string("[[links]]\nlabel = \"Imprint\"\nurl = \"http://a.test\""),
        std::string("[[links]]\nlabel = \"a\\tb\"\nurl = \"https://a.test\""),
        std::string("[[links]]\nurl = \"https://a.test\"")}) {
    CAPTURE(text);
    CHECK_FALSE(ReadText(text).errors.empty());
  }
}

TEST_CASE("branding: a logo that cannot be read stops the start",
          "[frontend]") {
  CHECK_THAT(BrandingFiles({.logo = "/nonexistent/logo.svg"}),
             StatusIs(absl::StatusCode::kNotFound));
  const TempDir folder;
  std::ofstream(folder.File("logo.svg"))
      << std::string(Branding::kMaxLogoBytes + 1, 'x');
  CHECK_FALSE(BrandingFiles({.logo = folder.File("logo.svg")}).ok());
}

TEST_CASE("branding: without a configuration the portal is Carme",
          "[frontend]") {
  const Read read = ReadText("");
  CHECK(read.errors.empty());
  for (const PageField& field : BrandingFields(read.branding)) {
    CAPTURE(field.name);
    CHECK(field.content.empty());
  }
  const auto files = BrandingFiles(read.branding);
  REQUIRE_THAT(files, IsOk());
  REQUIRE(files->size() == 1);
  CHECK((*files)[0].path == "/manifest.webmanifest");
  CHECK_THAT((*files)[0].bytes, Catch::StartsWith("{\"name\":\"Carme\","));
}

TEST_CASE("branding: pages get the name, the logo, the colours and the links",
          "[frontend]") {
  const TempDir folder;
  std::ofstream(folder.File("Logo.PNG")) << "png";
  const Read read = ReadText(
      "name = \"ACME \\\"GPU\\\"\"\nlogo = \"" + folder.File("Logo.PNG") +
      "\"\ncolor = \"#14508c\"\ncolor_dark = \"#86bdf5\"\n"
      "login_message = \"one\\ntwo\"\n"
      "[[links]]\nlabel = \"Imprint\"\nurl = \"https://a.test/i\"\n"
      "[[links]]\nlabel = \"Privacy\"\nurl = \"https://a.test/p\"\n");
  CHECK(read.errors.empty());
  CHECK(FieldOf(read.branding, "carme-name") == "ACME \"GPU\"");
  CHECK(FieldOf(read.branding, "carme-logo") == "/branding/logo.png");
  CHECK(FieldOf(read.branding, "carme-color") == "#14508c");
  CHECK(FieldOf(read.branding, "carme-color-dark") == "#86bdf5");
  CHECK(FieldOf(read.branding, "carme-login-message") == "one\ntwo");
  CHECK(FieldOf(read.branding, "carme-links") ==
        "Imprint\thttps://a.test/i\nPrivacy\thttps://a.test/p");
  const auto files = BrandingFiles(read.branding);
  REQUIRE_THAT(files, IsOk());
  CHECK_THAT((*files)[0].bytes,
             Catch::StartsWith("{\"name\":\"ACME \\\"GPU\\\"\"") &&
                 Catch::Contains("\"theme_color\":\"#14508c\""));
  CHECK((*files)[1].path == "/branding/logo.png");
  CHECK((*files)[1].bytes == "png");
}

}  // namespace
}  // namespace carme::frontend
