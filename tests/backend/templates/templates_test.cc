#include "backend/templates/templates.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/store/database.h"
#include "backend/templates/template_rules.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr uint32_t kAda = 20001;
constexpr uint32_t kBob = 20002;

struct Site {
  void Run(const std::string& sql) {
    REQUIRE_THAT(
        database->Query([&](Database& db) { return db.Prepare(sql)->Run(); }),
        IsOk());
  }
  // A project of Ada's, in which Bob is a member in this place.
  void Project(const std::string& id, int bobs_place = 0) {
    Run(absl::StrCat("INSERT INTO projects VALUES ('", id,
                     "','Name','','',1,2,0,NULL,'',0,NULL)"));
    Member(id, kAda, 6);
    if (bobs_place > 0) Member(id, kBob, bobs_place);
  }
  void Member(const std::string& id, uint32_t uid, int place) {
    Run(absl::StrCat("INSERT INTO project_members VALUES ('", id, "',", uid,
                     ",'n','n',", place, ",0,'','')"));
  }
  std::string Made(const std::string& name) {
    const auto made = templates.Create({.name = name});
    REQUIRE_THAT(made, IsOk());
    return made->job_template.id;
  }
  std::vector<std::string> NamesOf(uint32_t uid) {
    std::vector<std::string> names;
    const auto found = templates.Of(Uid(uid));
    REQUIRE_THAT(found, IsOk());
    for (const TemplateRecord& one : *found) {
      names.push_back(one.job_template.name);
    }
    return names;
  }
  TemplateOffer Offer(const std::string& project) {
    TemplateOffer offer;
    REQUIRE_THAT(database->Query([&](Database& db) {
      offer = Templates::OfferFor(db, project).value();
      return absl::OkStatus();
    }),
                 IsOk());
    return offer;
  }

  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  const std::unique_ptr<Templates> opened =
      Templates::Open(database.get(), &clock).value();
  Templates& templates = *opened;
};

using Names = std::vector<std::string>;

constexpr GpuIdlePolicy kGpuIdle{.threshold_percent = 2,
                                 .warn_after = absl::Minutes(60),
                                 .act_after = absl::Minutes(90),
                                 .action = v1::GpuIdlePolicy::ACTION_STOP};

TEST_CASE("templates: invalid settings are refused", "[backend]") {
  const JobTemplate right{.name = "T",
                          .partition = "main",
                          .gpu_types = {"a100"},
                          .max_gpus_per_node = 4,
                          .max_walltime = absl::Hours(2),
                          .max_extended_walltime = absl::Hours(4),
                          .idle_warning = absl::Minutes(30),
                          .idle_stop = absl::Minutes(10),
                          .gpu_idle = kGpuIdle};
  REQUIRE_THAT(CheckTemplateSettings(right), IsOk());
  JobTemplate warns = right;
  warns.gpu_idle->action = v1::GpuIdlePolicy::ACTION_WARN_ONLY;
  warns.gpu_idle->act_after = {};
  REQUIRE_THAT(CheckTemplateSettings(warns), IsOk());
  JobTemplate quick = right;
  quick.gpu_idle->warn_after = absl::Minutes(2);
  quick.gpu_idle->act_after = absl::Minutes(3);
  quick.gpu_idle->action = v1::GpuIdlePolicy::ACTION_SHRINK;
  REQUIRE_THAT(CheckTemplateSettings(quick), IsOk());
  JobTemplate soon = right;
  soon.idle_warning = soon.idle_stop = absl::Seconds(15);
  REQUIRE_THAT(CheckTemplateSettings(soon), IsOk());
  const std::vector<std::function<void(JobTemplate*)>> wrongs = {
      [](JobTemplate* t) { t->name = ""; },
      [](JobTemplate* t) { t->name = "  "; },
      [](JobTemplate* t) { t->name = std::string(65, 'a'); },
      [](JobTemplate* t) { t->name = "a\nb"; },
      [](JobTemplate* t) { t->name = "a\xff"; },
      [](JobTemplate* t) { t->description = std::string(501, 'a'); },
      [](JobTemplate* t) { t->partition = "a b"; },
      [](JobTemplate* t) { t->account = "a,b"; },
      [](JobTemplate* t) { t->qos = "a=b"; },
      [](JobTemplate* t) { t->reservation = "a;b"; },
      [](JobTemplate* t) { t->gpu_types = {""}; },
      [](JobTemplate* t) { t->gpu_types = {"a:b"}; },
      [](JobTemplate* t) { t->gpu_types = Names(17, "a"); },
      [](JobTemplate* t) { t->no_gpus = true; },
      [](JobTemplate* t) { t->max_gpus_per_node = -1; },
      [](JobTemplate* t) { t->max_nodes = 1'000'000; },
      [](JobTemplate* t) { t->max_jobs = -1; },
      [](JobTemplate* t) { t->cpus_per_gpu = 100'000; },
      [](JobTemplate* t) { t->memory_per_gpu_mib = -1; },
      [](JobTemplate* t) { t->images = Names(65, "a:1"); },
      [](JobTemplate* t) { t->images = {""}; },
      [](JobTemplate* t) { t->max_walltime = absl::Seconds(90); },
      [](JobTemplate* t) { t->max_walltime = absl::InfiniteDuration(); },
      [](JobTemplate* t) { t->max_walltime = -absl::Minutes(1); },
      [](JobTemplate* t) { t->max_extended_walltime = absl::Hours(1); },
      [](JobTemplate* t) { t->max_walltime = {}; },
      [](JobTemplate* t) { t->idle_stop = {}; },
      [](JobTemplate* t) { t->idle_warning = absl::Hours(1000); },
      [](JobTemplate* t) { t->idle_warning = absl::Seconds(14); },
      [](JobTemplate* t) { t->idle_stop = absl::Seconds(14); },
      [](JobTemplate* t) { t->idle_stop = absl::Milliseconds(20'500); },
      [](JobTemplate* t) { t->idle_stop = -absl::Minutes(1); },
      [](JobTemplate* t) { t->idle_stop = absl::InfiniteDuration(); },
      [](JobTemplate* t) { t->gpu_idle->threshold_percent = 0; },
      [](JobTemplate* t) { t->gpu_idle->threshold_percent = 101; },
      [](JobTemplate* t) { t->gpu_idle->warn_after = {}; },
      [](JobTemplate* t) { t->gpu_idle->warn_after = absl::Seconds(119); },
      [](JobTemplate* t) {
        t->gpu_idle->warn_after = absl::Milliseconds(120'500);
      },
      [](JobTemplate* t) { t->gpu_idle->act_after = {}; },
      [](JobTemplate* t) { t->gpu_idle->act_after = absl::Seconds(3659); },
      [](JobTemplate* t) { t->gpu_idle->act_after = absl::Hours(1000); },
      [](JobTemplate* t) { t->gpu_idle->action = {}; },
      [](JobTemplate* t) {
        t->gpu_idle->action = v1::GpuIdlePolicy::ACTION_WARN_ONLY;
      },
      [](JobTemplate* t) {
        t->gpu_idle->action = static_cast<v1::GpuIdlePolicy::Action>(7);
      },
      [](JobTemplate* t) {
        t->no_gpus = true;
        t->gpu_types.clear();
        t->max_gpus_per_node = 0;
      },
  };
  Site site;
  for (size_t i = 0; i < wrongs.size(); ++i) {
    INFO(i);
    JobTemplate wrong = right;
    wrongs[i](&wrong);
    CHECK(absl::IsInvalidArgument(site.templates.Create(wrong).status()));
  }
  CHECK(site.templates.All()->empty());
}

TEST_CASE("templates: a name is one template's, in any script", "[backend]") {
  Site site;
  const std::string id = site.Made("Übung 実習 🧪");
  CHECK(absl::IsAlreadyExists(
      site.templates.Create({.name = "Übung 実習 🧪"}).status()));
  CHECK_THAT(
      site.templates.Change(id, {.name = "Übung 実習 🧪", .max_nodes = 2}),
      IsOk());
  const std::string other = site.Made("Other");
  CHECK(absl::IsAlreadyExists(
      site.templates.Change(other, {.name = "Übung 実習 🧪"}).status()));
  CHECK(site.templates.Find(id)->max_nodes == 2);
}

TEST_CASE("templates: a template is read from memory, in its current state",
          "[backend]") {
  Site site;
  site.Project("chem");
  const std::string id = site.Made("Short");
  REQUIRE_THAT(site.templates.Change(
                   id, {.name = "Short", .max_walltime = absl::Minutes(10)}),
               IsOk());
  REQUIRE_THAT(site.templates.Attach(id, "chem", true), IsOk());
  REQUIRE_THAT(site.templates.Retire(id, true), IsOk());
  // After a start, too.
  const auto again = Templates::Open(site.database.get(), &site.clock).value();
  site.Run("ALTER TABLE templates RENAME TO gone");
  REQUIRE_FALSE(site.templates.All().ok());
  for (const Templates* templates : {&site.templates, again.get()}) {
    const auto found = templates->Find(id);
    REQUIRE_THAT(found, IsOk());
    CHECK(found->id == id);
    CHECK(found->max_walltime == absl::Minutes(10));
    CHECK(absl::IsNotFound(templates->Find("zzzzzzzzzzzzzzzz").status()));
  }
  // A change that could not be written is not shown.
  CHECK_FALSE(site.templates.Change(id, {.name = "Long"}).ok());
  CHECK(site.templates.Find(id)->name == "Short");
  CHECK_FALSE(Templates::Open(site.database.get(), &site.clock).ok());
}

TEST_CASE("templates: of simultaneous changes the last one is shown",
          "[backend]") {
  Site site;
  const std::string id = site.Made("Ours");
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> administrators;
    for (int nodes = 1; nodes <= 4; ++nodes) {
      administrators.emplace_back([&, nodes] {
        site.templates.Change(id, {.name = "Ours", .max_nodes = nodes})
            .IgnoreError();
      });
    }
    for (std::thread& one : administrators) one.join();
    CHECK(site.templates.Find(id)->max_nodes ==
          site.templates.All()->at(0).job_template.max_nodes);
  }
}

TEST_CASE("templates: a missing template is neither changed nor attached",
          "[backend]") {
  Site site;
  const std::string id = site.Made("T");
  CHECK(
      absl::IsNotFound(site.templates.Change("none", {.name = "N"}).status()));
  CHECK(absl::IsNotFound(site.templates.Retire("none", true).status()));
  CHECK(absl::IsNotFound(site.templates.Attach("none", "", true).status()));
  CHECK(absl::IsNotFound(site.templates.Attach(id, "none", true).status()));
  CHECK(absl::IsNotFound(site.templates.Find("none").status()));
}

TEST_CASE("templates: are seen by members of their projects alone",
          "[backend]") {
  Site site;
  site.Project("chem", 4);  // Bob is a member
  site.Project("phys", 1);  // Bob is invited
  site.Project("bio");      // Bob has no place
  for (const char* project : {"chem", "phys", "bio"}) {
    REQUIRE_THAT(site.templates.Attach(site.Made(project), project, true),
                 IsOk());
  }
  REQUIRE_THAT(site.templates.Attach(site.Made("all"), "", true), IsOk());
  const std::string retired = site.Made("old");
  REQUIRE_THAT(site.templates.Attach(retired, "chem", true), IsOk());
  REQUIRE_THAT(site.templates.Retire(retired, true), IsOk());
  site.Made("nobody's");
  CHECK(site.NamesOf(kBob) == Names{"all", "chem"});
  CHECK(site.NamesOf(kAda) == Names{"all", "bio", "chem", "phys"});
  CHECK(site.NamesOf(29999) == Names{"all"});
  // Of a project that is not theirs they do not learn by a shared template.
  const auto chem = site.templates.Of(Uid(kBob))->at(1);
  REQUIRE_THAT(site.templates.Attach(chem.job_template.id, "bio", true),
               IsOk());
  CHECK(site.templates.Of(Uid(kBob))->at(1).projects == Names{"chem"});
}

TEST_CASE("templates: applies only to its projects", "[backend]") {
  Site site;
  site.Project("chem");
  site.Project("phys");
  const std::string id = site.Made("T");
  CHECK_FALSE(site.Offer("chem").needed);
  REQUIRE_THAT(site.templates.Attach(id, "chem", true), IsOk());
  CHECK(site.Offer("chem").needed);
  CHECK(site.Offer("chem").choices.size() == 1);
  CHECK_FALSE(site.Offer("phys").needed);
  CHECK_FALSE(site.Offer("").needed);
  REQUIRE_THAT(site.templates.Attach(id, "", true), IsOk());
  CHECK(site.Offer("").choices.at(0).job_template.id == id);
  // Retiring a template allows nothing.
  REQUIRE_THAT(site.templates.Retire(id, true), IsOk());
  CHECK(site.Offer("chem").needed);
  CHECK(site.Offer("chem").choices.empty());
  CHECK(absl::IsFailedPrecondition(
      site.templates.Attach(id, "phys", true).status()));
  REQUIRE_THAT(site.templates.Attach(id, "chem", false), IsOk());
  CHECK_FALSE(site.Offer("chem").needed);
  CHECK_THAT(site.templates.Attach(id, "chem", false), IsOk());  // it is so
}

TEST_CASE("templates: no more of them than their bounds", "[backend]") {
  Site site;
  site.Project("chem");
  for (size_t i = 0; i < Templates::kMaxOfProject; ++i) {
    REQUIRE_THAT(
        site.templates.Attach(site.Made(absl::StrCat(i)), "chem", true),
        IsOk());
  }
  CHECK(absl::IsResourceExhausted(
      site.templates.Attach(site.Made("more"), "chem", true).status()));
}

TEST_CASE("templates: survive a restart as they were", "[backend]") {
  Site site;
  const JobTemplate settings{.name = "All of it",
                             .description = "Two\nlines",
                             .partition = "main",
                             .gpu_types = {"a100", "h200"},
                             .max_gpus_per_node = 4,
                             .max_nodes = 2,
                             .max_jobs = 3,
                             .max_walltime = absl::Hours(2),
                             .cpus_per_gpu = 8,
                             .memory_per_gpu_mib = 1 << 20,
                             .images = {"base:1", "ada/lab:2"},
                             .account = "chem",
                             .qos = "low",
                             .reservation = "course",
                             .max_extended_walltime = absl::Hours(4),
                             .idle_warning = absl::Minutes(30),
                             .idle_stop = absl::Minutes(10),
                             .gpu_idle = kGpuIdle};
  auto made = site.templates.Create(settings);
  REQUIRE_THAT(made, IsOk());
  const auto again = Templates::Open(site.database.get(), &site.clock).value();
  JobTemplate found = again->Find(made->job_template.id).value();
  CHECK(found == made->job_template);
  found.id.clear();
  CHECK(found == settings);
}

}  // namespace
}  // namespace carme::backend
