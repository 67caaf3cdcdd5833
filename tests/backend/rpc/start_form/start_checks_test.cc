#include "backend/rpc/start_form/start_checks.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/policy/spec/limits.h"
#include "carme/v1/cluster.pb.h"

namespace carme::backend {
namespace {

const StartDefaults kGpus = {.app = "jupyter", .has_gpus = true};

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs PairsOf(const StartChoices& choices) {
  Pairs pairs;
  for (const StartChoice& choice : choices.choices) {
    pairs.emplace_back(choice.project, choice.job_template);
  }
  return pairs;
}

ProjectView InProject(const std::string& id, ProjectRole role, bool usable) {
  ProjectView view;
  view.row.project.id = ProjectId(id);
  view.row.project_role = role;
  view.usable = usable;
  return view;
}

TemplateRecord For(const std::string& id, std::vector<std::string> projects,
                   bool everybody = false) {
  TemplateRecord record;
  record.job_template.id = id;
  record.everybody = everybody;
  record.projects = std::move(projects);
  return record;
}

TEST_CASE("start checks: nothing is proposed in projects of others",
          "[backend]") {
  const StartChoices choices =
      ProposedStarts({InProject("asked", v1::PROJECT_ROLE_UNSPECIFIED, false)},
                     {For("t", {"asked"})}, kGpus, 10);
  CHECK(PairsOf(choices) == Pairs{{"", ""}});
  CHECK_FALSE(choices.truncated);
}

TEST_CASE("start checks: one job tells why a project cannot be used",
          "[backend]") {
  const StartChoices choices =
      ProposedStarts({InProject("closed", v1::PROJECT_ROLE_MEMBER, false)},
                     {For("t", {"closed"})}, kGpus, 10);
  CHECK(PairsOf(choices) == Pairs{{"", ""}, {"closed", ""}});
}

TEST_CASE("start checks: without a template, then with each", "[backend]") {
  TemplateRecord retired = For("old", {"chem"}, true);
  retired.retired = true;
  const StartChoices choices = ProposedStarts(
      {InProject("chem", v1::PROJECT_ROLE_MEMBER, true),
       InProject("free", v1::PROJECT_ROLE_OWNER, true)},
      {For("a", {"chem"}, true), For("b", {"chem"}), retired}, kGpus, 10);
  CHECK(PairsOf(choices) == Pairs{{"", ""},
                                  {"", "a"},
                                  {"chem", ""},
                                  {"chem", "a"},
                                  {"chem", "b"},
                                  {"free", ""}});
}

TEST_CASE("start checks: at most so many, and says so", "[backend]") {
  std::vector<TemplateRecord> templates;
  for (int i = 0; i < 32; ++i) {
    templates.push_back(For(absl::StrCat("t", i), {}, true));
  }
  CHECK_FALSE(ProposedStarts({}, templates, kGpus, 33).truncated);
  const StartChoices choices = ProposedStarts({}, templates, kGpus, 32);
  CHECK(choices.choices.size() == 32);
  CHECK(choices.truncated);
}

TEST_CASE("start checks: a selected template reduces the proposal",
          "[backend]") {
  TemplateRecord no_gpus = For("cpu", {}, true);
  no_gpus.job_template.no_gpus = true;
  no_gpus.job_template.max_walltime = absl::Minutes(10);
  TemplateRecord longer = For("long", {}, true);
  longer.job_template.max_walltime = absl::Hours(8);
  const auto specs = [](const StartChoices& proposed) {
    std::vector<std::pair<int, absl::Duration>> found;
    for (const StartChoice& choice : proposed.choices) {
      CHECK(choice.spec.project == choice.project);
      CHECK(choice.spec.job_template == choice.job_template);
      CHECK(choice.spec.nodes == 1);
      found.emplace_back(choice.spec.gpus_per_node, choice.spec.walltime);
    }
    return found;
  };
  using Specs = std::vector<std::pair<int, absl::Duration>>;
  CHECK(
      specs(ProposedStarts({}, {no_gpus, longer}, kGpus, 10)) ==
      Specs{{1, absl::Hours(1)}, {0, absl::Minutes(10)}, {1, absl::Hours(1)}});
  CHECK(specs(ProposedStarts({}, {}, {}, 10)) == Specs{{0, absl::Hours(1)}});
  // The only template of a project bounds the form without being selected.
  no_gpus.everybody = false;
  no_gpus.projects = {"chem"};
  CHECK(specs(ProposedStarts({InProject("chem", v1::PROJECT_ROLE_MEMBER, true)},
                             {no_gpus}, kGpus, 10)) ==
        Specs{{1, absl::Hours(1)},
              {0, absl::Minutes(10)},
              {0, absl::Minutes(10)}});
}

TEST_CASE("start checks: the first app that can start is the default",
          "[backend]") {
  v1::GetClusterResponse cluster;
  CHECK(StartDefaultsOf(cluster).app.empty());
  CHECK_FALSE(StartDefaultsOf(cluster).has_gpus);
  cluster.add_gpu_types()->set_down(8);
  CHECK_FALSE(StartDefaultsOf(cluster).has_gpus);
  cluster.add_gpu_types()->set_total(8);
  CHECK(StartDefaultsOf(cluster).has_gpus);

  v1::App* own = cluster.add_apps();
  own->set_id("own");
  own->set_requires_file(".carme/web-app");
  cluster.add_apps()->set_id("jupyter");
  cluster.add_apps()->set_id("code");
  v1::ImageChoice* system = cluster.add_images();
  system->set_id(kNoImage);
  CHECK(StartDefaultsOf(cluster).app == "jupyter");
  cluster.add_pending_images()->add_apps("jupyter");
  CHECK(StartDefaultsOf(cluster).app == "code");
  cluster.mutable_pending_images(0)->add_apps("code");
  CHECK(StartDefaultsOf(cluster).app == "jupyter");
}

}  // namespace
}  // namespace carme::backend
