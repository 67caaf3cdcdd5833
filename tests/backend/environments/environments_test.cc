#include "backend/environments/environments.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/environments/environment_files.h"
#include "backend/environments/environment_name.h"
#include "common/edf/text.h"
#include "common/file.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_home_lookup.h"
#include "tests/support/fake_usable_images.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

Session SessionOf(const std::string& name, uint32_t uid) {
  Session session;
  session.username = name;
  session.uid = Uid(uid);
  return session;
}

// Two people, a site's directory and an image of the store.
class World {
 public:
  explicit World(bool offered = true) {
    images_.images["ada"] = {image_};
    config_.offered = offered;
    std::filesystem::create_directory(dir_.File("edf"));
    config_.system_directories = {dir_.File("edf")};
    config_.variables = {{"SCRATCH", "/scratch/{user}"}};
    environments_ = std::make_unique<Environments>(
        Environments::Parts{.database = database_.get(),
                            .clock = &clock_,
                            .homes = &homes_,
                            .images = &images_},
        config_);
  }
  void SiteHas(const std::string& name, const std::string& text) {
    REQUIRE_THAT(WriteFile(dir_.File("edf/" + name + ".toml"), text, 0644),
                 IsOk());
  }
  absl::StatusOr<StoredEnvironment> Save(const std::string& name,
                                         const std::string& text,
                                         int64_t revision = 0) {
    return environments_->Save(ada_, name, text, revision);
  }
  EdfResult Render(const std::string& text, const std::string& name = "") {
    return environments_->Render(ada_, text, name).value();
  }
  // The first problem: "file:line: text".
  std::string ProblemOf(const std::string& text) {
    const EdfResult result = Render(text);
    CHECK_FALSE(result.edf);
    if (result.problems.empty()) return "";
    return ToString(result.problems.list()[0]);
  }
  std::string WhyNot(const std::string& environment) {
    const auto resolved = environments_->Resolve(ada_, environment);
    CHECK(absl::IsInvalidArgument(resolved.status()));
    return std::string(resolved.status().message());
  }

  TempDir dir_;
  FakeClock clock_;
  EnvironmentsConfig config_;
  std::unique_ptr<Database> database_ =
      Database::Open(":memory:", Migrations()).value();
  FakeHomeLookup homes_;
  FakeUsableImages images_;
  const Image image_ = {.id = "base:1",
                        .description = "",
                        .path = "/images/base.sif",
                        .sha256 = std::string(64, 'a'),
                        .apps = {},
                        .mounts = {},
                        .environment = {}};
  std::unique_ptr<Environments> environments_;
  const Session ada_ = SessionOf("ada", 20001);
  const Session bob_ = SessionOf("bob", 20002);
};

TEST_CASE("environments: where none are offered none is kept or used",
          "[backend]") {
  World world(false);
  CHECK(absl::IsFailedPrecondition(world.Save("x", "").status()));
  CHECK(absl::IsFailedPrecondition(
      world.environments_->Render(world.ada_, "", "").status()));
  CHECK(world.WhyNot("/home/ada/x.toml") ==
        "environments are not offered here: expected an image");
}

TEST_CASE("environments: a name is never a path", "[backend]") {
  World world;
  for (const std::string name :
       {"", ".", "..", "../x", "a/b", "/a", "~", ".a", "-a", "a b", "a\n",
        "a.toml", "\xc3\xa4", "a\"b"}) {
    INFO(name);
    CHECK_FALSE(IsEnvironmentName(name));
    CHECK(absl::IsInvalidArgument(world.Save(name, "").status()));
    CHECK(absl::IsNotFound(world.environments_->FindSites(name).status()));
  }
  CHECK_FALSE(IsEnvironmentName(std::string(64, 'a')));
  for (const std::string name : {"a", "torch-2.5", "A_1", "a.b"}) {
    CHECK(IsEnvironmentName(name));
  }
}

TEST_CASE("environments: other users cannot see, change or inherit one",
          "[backend]") {
  World world;
  REQUIRE_THAT(world.Save("mine", "image = \"/a\""), IsOk());
  Environments& environments = *world.environments_;
  CHECK(environments.List(world.bob_)->empty());
  CHECK(absl::IsNotFound(environments.Find(world.bob_, "mine").status()));
  CHECK(absl::IsNotFound(environments.Delete(world.bob_, "mine")));
  CHECK(absl::IsInvalidArgument(
      environments.Resolve(world.bob_, "mine").status()));
  const auto inherited =
      environments.Render(world.bob_, "base_environment = \"mine\"", "");
  CHECK(inherited->problems.list()[0].number == EdfNumber::kNotFound);
  // their own of the same name is another one
  REQUIRE_THAT(environments.Save(world.bob_, "mine", "image = \"/b\"", 0),
               IsOk());
  CHECK(environments.Find(world.ada_, "mine")->text == "image = \"/a\"");
}

TEST_CASE("environments: no file of this host is opened for a text",
          "[backend]") {
  World world;
  const std::string secret = world.dir_.File("secret.toml");
  REQUIRE_THAT(WriteFile(secret, "image = \"/secret\"", 0644), IsOk());
  const std::string site = world.dir_.File("edf");
  for (const std::string& path :
       {secret, site + "/../secret.toml", site + "/x/../../secret.toml",
        std::string("/etc/passwd.toml"),
        std::string("/your-environments/../etc/passwd.toml"),
        std::string("./secret.toml"), std::string("${HOME}/secret.toml")}) {
    INFO(path);
    const EdfResult result =
        world.Render(absl::StrCat("base_environment = \"", path, "\""));
    REQUIRE(result.problems.size() == 1);
    const EdfProblem& problem = result.problems.list()[0];
    // the error does not reveal whether it exists
    CHECK((problem.number == EdfNumber::kUnreadable ||
           problem.number == EdfNumber::kNotFound));
    CHECK_FALSE(absl::StrContains(problem.text.text, "/secret\""));
  }
}

TEST_CASE("environments: refuses more than the limits", "[backend]") {
  World world;
  const std::string large(kMaxEnvironmentBytes + 1, ' ');
  CHECK(absl::IsInvalidArgument(world.Save("x", large).status()));
  CHECK(absl::IsInvalidArgument(
      world.environments_->Render(world.ada_, large, "").status()));
  std::string many = "image = \"/a\"\n[env]\n";
  for (int i = 0; i < 600; ++i) {
    absl::StrAppend(&many, "A", i, " = \"", std::string(90, 'x'), "\"\n");
  }
  CHECK(absl::StrContains(world.ProblemOf(many), "when it is rendered"));
  for (int i = 0; i < kMaxEnvironments; ++i) {
    REQUIRE_THAT(world.Save(absl::StrCat("e", i), ""), IsOk());
  }
  const auto one_more = world.Save("more", "");
  CHECK(absl::IsResourceExhausted(one_more.status()));
  // one that is there can still be changed, and room made
  const auto first = world.environments_->Find(world.ada_, "e0");
  CHECK_THAT(world.Save("e0", "# changed", first->revision), IsOk());
  REQUIRE_THAT(world.environments_->Delete(world.ada_, "e1"), IsOk());
  CHECK_THAT(world.Save("more", ""), IsOk());
}

TEST_CASE("environments: bases are bounded together", "[backend]") {
  World world;
  std::string bases = "base_environment = [";
  for (int i = 0; i < 12; ++i) {
    REQUIRE_THAT(world.Save(absl::StrCat("b", i),
                            std::string(kMaxEnvironmentBytes - 1, '\n')),
                 IsOk());
    absl::StrAppend(&bases, i == 0 ? "" : ", ", "\"b", i, "\"");
  }
  CHECK(absl::StrContains(world.ProblemOf(bases + "]\nimage = \"/a\""),
                          "more than 524288 bytes inherited"));
}

TEST_CASE("environments: refuses a change based on an older text",
          "[backend]") {
  World world;
  const StoredEnvironment first = world.Save("x", "one").value();
  CHECK(absl::IsAlreadyExists(world.Save("x", "other").status()));
  const auto second = world.Save("x", "two", first.revision);
  REQUIRE_THAT(second, IsOk());
  CHECK(second->revision > first.revision);
  CHECK(absl::IsFailedPrecondition(
      world.Save("x", "three", first.revision).status()));
  REQUIRE_THAT(world.environments_->Delete(world.ada_, "x"), IsOk());
  CHECK(absl::IsNotFound(world.Save("x", "three", second->revision).status()));
  // Nor does its namesake's.
  REQUIRE_THAT(world.Save("x", "new"), IsOk());
  CHECK(absl::IsFailedPrecondition(
      world.Save("x", "three", second->revision).status()));
  CHECK(world.environments_->Find(world.ada_, "x")->text == "new");
}

TEST_CASE("environments: problems have the line, and the file they are in",
          "[backend]") {
  World world;
  REQUIRE_THAT(world.Save("base", "\n\nworkdir = \"${NOBODY}\""), IsOk());
  const EdfResult result = world.Render(
      "base_environment = \"base\"\nimage = \"/a\"\nmounts = [\n  \"/b:c\"\n]",
      "own");
  REQUIRE(result.problems.size() == 2);
  const EdfProblem& mount = result.problems.list()[0];
  CHECK(mount.place.file.empty());
  CHECK(mount.place.line == 4);
  const EdfProblem& workdir = result.problems.list()[1];
  CHECK(workdir.place.file == "base.toml");
  CHECK(workdir.place.line == 3);
  CHECK(world.Render("image = \"/a\"\nunknown = 1").warnings.size() == 1);
  CHECK(world
            .Render("image = \"/a\"\ndevices = [\"nvidia.com/gpu=0\"]\n"
                    "annotations.com.hooks.ssh.enabled = \"true\"")
            .warnings.size() == 2);
}

TEST_CASE("environments: problems name no path that only the renderer has",
          "[backend]") {
  World world;
  const std::string problem = world.ProblemOf("base_environment = \"none\"");
  CHECK(problem.find("not found at your environments on the page, ") !=
        std::string::npos);
  CHECK(problem.find(kOwnEnvironments) == std::string::npos);
  const EdfResult result = world.Render("base_environment = \"none\"");
  const DisplayText& text = result.problems.list()[0].text;
  CHECK(text.code == "EDF_NOT_FOUND_IN");
  REQUIRE(text.parameters.size() == 2);
  const DisplayText& places = text.parameters[1].value;
  CHECK(places.code == "EDF_PLACES");
  REQUIRE_FALSE(places.parameters.empty());
  CHECK(places.parameters[0].value.code == "ENVIRONMENT_OWN_PLACE");
}

TEST_CASE("environments: reports an inheritance cycle", "[backend]") {
  World world;
  REQUIRE_THAT(world.Save("loop", "base_environment = \"own\""), IsOk());
  const EdfResult result =
      world.Render("base_environment = \"loop\"\nimage = \"/a\"", "own");
  // "own" is not kept yet: the name is not there
  CHECK(result.problems.list()[0].number == EdfNumber::kNotFound);
  REQUIRE_THAT(world.Save("own", "base_environment = \"loop\""), IsOk());
  CHECK(world.Render("base_environment = \"loop\"", "own")
            .problems.list()[0]
            .number == EdfNumber::kRecursion);
}

TEST_CASE("environments: variables are the account's and the site's",
          "[backend]") {
  World world;
  const EdfResult result = world.Render(
      "image = \"/a\"\nworkdir = \"./work\"\n"
      "mounts = [\"${SCRATCH}\", \"${HOME}:/h\"]\n"
      "env.WHO = \"${USER} ${LOGNAME}\"");
  REQUIRE(result.edf);
  CHECK(result.edf->workdir == "/home/ada/work");
  CHECK(MountText(result.edf->mounts[0]) == "/scratch/ada:/scratch/ada");
  CHECK(result.edf->mounts[1].source == "/home/ada");
  CHECK(result.edf->env.at("WHO") == "ada ada");
  // the backend's own files are not available
  CHECK(absl::StrContains(world.ProblemOf("image = \"/${PATH}\""),
                          "variable \"PATH\" is not defined"));
  world.homes_.error = absl::NotFoundError("no account");
  CHECK(absl::StrContains(world.ProblemOf("image = \"${HOME}/x\""),
                          "variable \"HOME\" is not defined"));
  world.homes_.error = absl::UnavailableError("no name service");
  CHECK(absl::IsUnavailable(
      world.environments_->Render(world.ada_, "image = \"/a\"", "").status()));
}

TEST_CASE("environments: the user's file wins over the site's", "[backend]") {
  World world;
  world.SiteHas("torch", "image = \"/site\"");
  world.SiteHas("other", "image = \"/other\"");
  CHECK(world.environments_->ListSites() ==
        std::vector<std::string>{"other", "torch"});
  CHECK(*world.environments_->FindSites("torch") == "image = \"/site\"");
  const std::string child = "base_environment = \"torch\"";
  CHECK(world.Render(child).edf->image.path == "/site");
  REQUIRE_THAT(world.Save("torch", "image = \"/own\""), IsOk());
  CHECK(world.Render(child).edf->image.path == "/own");
  CHECK(world.environments_->Resolve(world.ada_, "torch")->rendered ==
        EdfToToml(*world.Render("image = \"/own\"").edf));
  CHECK(world.environments_->Resolve(world.bob_, "torch")->rendered ==
        EdfToToml(*world.Render("image = \"/site\"").edf));
}

TEST_CASE("environments: a job's is refused in one line", "[backend]") {
  World world;
  CHECK(absl::StrContains(world.WhyNot("nowhere"),
                          "environment \"nowhere\" not found"));
  REQUIRE_THAT(world.Save("bad", "image = \"/${A}\"\nworkdir = \"/${B}\""),
               IsOk());
  const std::string why = world.WhyNot("bad");
  CHECK(absl::StartsWith(why, "environment \"bad\" cannot be used: Error 017"));
  CHECK(absl::EndsWith(why, "(and 1 more)"));
  REQUIRE_THAT(world.Save("gone", "image = \"store#base:9\""), IsOk());
  CHECK(absl::StrContains(world.WhyNot("gone"),
                          "image \"store#base:9\" cannot be used for a job"));
  for (const std::string path : {"/a", "~", "~bob/x.toml", "/a/../x.toml",
                                 "~/../bob/x.toml", "/a\n.toml"}) {
    INFO(path);
    CHECK(absl::StrContains(world.WhyNot(path), "expected a path that begins"));
  }
}

TEST_CASE("environments: an image of the store becomes its file and digest",
          "[backend]") {
  World world;
  for (const std::string reference : {"store#base", "store#base:1"}) {
    INFO(reference);
    REQUIRE_THAT(world.Save("e" + std::to_string(reference.size()),
                            absl::StrCat("image = \"", reference, "\"")),
                 IsOk());
    const RenderedEnvironment job =
        world.environments_
            ->Resolve(world.ada_, "e" + std::to_string(reference.size()))
            .value();
    CHECK(job.image == "base:1");
    CHECK(job.image_sha256 == std::string(64, 'a'));
    CHECK(ReadRenderedEdf(job.rendered).edf->image.path == "/images/base.sif");
  }
  // no way around a missing permission
  REQUIRE_THAT(world.environments_->Save(world.bob_, "base",
                                         "image = \"store#base\"", 0),
               IsOk());
  CHECK(absl::IsInvalidArgument(
      world.environments_->Resolve(world.bob_, "base").status()));
  REQUIRE_THAT(world.Save("path", "image = \"/images/base.sif\""), IsOk());
  CHECK(world.environments_->Resolve(world.ada_, "path")->image_sha256.empty());
  // a file on the nodes is its agent's to read
  CHECK(*world.environments_->Resolve(world.ada_, "~/job.toml") ==
        RenderedEnvironment());
}

}  // namespace
}  // namespace carme::backend
