#include "backend/environments/environment_form.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

namespace carme::backend {
namespace {

v1::EnvironmentForm FormOf(const std::string& text) {
  EdfProblems problems;
  const auto form = ReadEnvironmentForm(text, &problems);
  INFO(text);
  REQUIRE(form);
  return *form;
}

using Change = std::function<void(v1::EnvironmentForm*)>;

// The text after a change of its form.
std::string Changed(const std::string& text, const Change& change) {
  const v1::EnvironmentForm before = FormOf(text);
  v1::EnvironmentForm after = before;
  change(&after);
  EdfProblems problems;
  const auto written = WriteEnvironmentForm(text, before, after, &problems);
  INFO(problems.status().message());
  REQUIRE(written);
  return *written;
}

void SetVariable(v1::EnvironmentForm* form, const std::string& name,
                 const std::string& value) {
  (*form->mutable_variables())[name] = value;
}

TEST_CASE("environment form: an invalid text has problems with lines",
          "[backend]") {
  for (const char* text :
       {"image = \"a\"\nmounts = [", "image = \"a\"\nmounts = 3",
        "image = \"a\"\nwritable = \"yes\"", "\nimage = \"\xff\""}) {
    INFO(text);
    EdfProblems problems;
    CHECK_FALSE(ReadEnvironmentForm(text, &problems));
    REQUIRE(problems.size() == 1);
    CHECK(problems.list()[0].place.line == 2);
    CHECK(problems.list()[0].place.file.empty());
    EdfProblems again;
    CHECK_FALSE(WriteEnvironmentForm(text, {}, {}, &again));
    CHECK(again.size() == 1);
  }
}

TEST_CASE("environment form: an invalid setting is refused without a line",
          "[backend]") {
  v1::EnvironmentForm after;
  SetVariable(&after, "A=B", "x");
  EdfProblems problems;
  CHECK_FALSE(WriteEnvironmentForm("image = \"a\"\n", {}, after, &problems));
  REQUIRE(problems.size() == 1);
  CHECK(problems.list()[0].place.line == 0);
}

TEST_CASE("environment form: values cannot become other statements",
          "[backend]") {
  for (const std::string value :
       {"\"\nimage = \"evil", "\\", "'''", "\"\"\"", "#", "]", "\r\n[env]",
        "\x01\x7f", "\xc3\xb6\xf0\x9f\x98\x80"}) {
    INFO(value);
    const std::string text = Changed("image = \"a\"\nenv = { A = \"1\" }\n",
                                     [&](v1::EnvironmentForm* form) {
                                       form->set_workdir(value);
                                       form->add_mounts(value);
                                       SetVariable(form, "A", value);
                                     });
    const v1::EnvironmentForm form = FormOf(text);
    CHECK(form.image() == "a");
    CHECK(form.workdir() == value);
    REQUIRE(form.mounts_size() == 1);
    CHECK(form.mounts(0) == value);
    CHECK(form.variables().at("A") == value);
    CHECK(form.variables_size() == 1);
  }
}

TEST_CASE("environment form: has the settings of the text", "[backend]") {
  const v1::EnvironmentForm form = FormOf(
      "base_environment = \"b\"\nimage = 'a'\nmounts = [\"${HOME}\"]\n"
      "writable = false\nunknown = 1\nenv.A = \"$x\"\n");
  REQUIRE(form.base_environments_size() == 1);
  CHECK(form.image() == "a");
  CHECK(form.mounts(0) == "${HOME}");
  CHECK(form.has_writable());
  CHECK_FALSE(form.writable());
  CHECK_FALSE(form.has_entrypoint());
  CHECK(form.variables().at("A") == "$x");
}

TEST_CASE("environment form: nothing but the value changes", "[backend]") {
  const std::string text =
      "# \xc3\xb6\n  image = \"\xc3\xa4\"  # one\n\nx.y = { z = 1 }\n"
      "mounts = [ # all\n  \"/a\", # a\n  '/b',\n]\n\n[env] # two\n"
      "A = '''x\ny''' # three\n\n[annotations]\nk = true\n";
  CHECK(Changed(text, [](v1::EnvironmentForm*) {}) == text);
  CHECK(Changed(text,
                [](v1::EnvironmentForm* form) {
                  form->set_image("b");
                  form->set_mounts(1, "/c");
                  SetVariable(form, "A", "z");
                  SetVariable(form, "B b", "");
                }) ==
        "# \xc3\xb6\n  image = \"b\"  # one\n\nx.y = { z = 1 }\n"
        "mounts = [ # all\n  \"/a\", # a\n  \"/c\",\n]\n\n[env] # two\n"
        "A = \"z\" # three\n\"B b\" = \"\"\n\n[annotations]\nk = true\n");
}

TEST_CASE("environment form: adds keys that are missing", "[backend]") {
  CHECK(Changed("",
                [](v1::EnvironmentForm* form) {
                  form->set_image("a");
                  form->set_workdir("/w");
                  form->set_writable(false);
                  form->add_base_environments("b");
                  SetVariable(form, "A", "1");
                }) ==
        "base_environment = \"b\"\nimage = \"a\"\nworkdir = \"/w\"\n"
        "writable = false\n\n[env]\nA = \"1\"\n");
  CHECK(
      Changed("# x\nimage = \"a\" # y\n[env]\n# hint",
              [](v1::EnvironmentForm* form) {
                form->add_mounts("/a");
                SetVariable(form, "A", "1");
              }) ==
      "# x\nimage = \"a\" # y\nmounts = [\"/a\"]\n[env]\nA = \"1\"\n# hint\n");
  CHECK(Changed("env.A = \"1\"\r\nx = 1\r\n", [](v1::EnvironmentForm* form) {
          SetVariable(form, "B", "2");
        }) == "env.A = \"1\"\r\nenv.B = \"2\"\nx = 1\r\n");
}

TEST_CASE("environment form: removes what is empty", "[backend]") {
  const std::string text =
      "image = \"a\"\nworkdir = \"\"\"\n/w\"\"\" # w\nmounts = [\"/a\",\n"
      "\"/b\"]\nwritable = true\n[env]\nA = \"1\"\nB = \"2\"\n";
  CHECK(Changed(text, [](v1::EnvironmentForm* form) {
          form->clear_workdir();
          form->clear_mounts();
          form->clear_writable();
          form->mutable_variables()->erase("A");
        }) == "image = \"a\"\nmounts = []\n[env]\nB = \"2\"\n");
  CHECK(Changed(text, [](v1::EnvironmentForm* form) {
          form->clear_image();
          form->add_base_environments("b");
        }).starts_with("base_environment = \"b\"\nworkdir"));
  CHECK(Changed("env = { A = \"1\", B = \"2\" }", [](auto* form) {
          form->mutable_variables()->erase("B");
        }) == "env = { A = \"1\" }\n");
}

TEST_CASE("environment form: a long list has a line per item", "[backend]") {
  CHECK(Changed("mounts = []\n",
                [](v1::EnvironmentForm* form) {
                  form->add_mounts(std::string(40, 'a'));
                  form->add_mounts(std::string(40, 'b'));
                }) == "mounts = [\n  \"" + std::string(40, 'a') + "\",\n  \"" +
                          std::string(40, 'b') + "\",\n]\n");
}

TEST_CASE("environment form: keeps what the text changed meanwhile",
          "[backend]") {
  const v1::EnvironmentForm before = FormOf("image = \"a\"\nenv.A = \"1\"\n");
  v1::EnvironmentForm after = before;
  after.set_image("b");
  EdfProblems problems;
  const auto written =
      WriteEnvironmentForm("image = \"a\"\nworkdir = \"/w\"\nenv.A = \"2\"\n",
                           before, after, &problems);
  CHECK(written == "image = \"b\"\nworkdir = \"/w\"\nenv.A = \"2\"\n");
}

}  // namespace
}  // namespace carme::backend
