#include "slurm-hooks/agent/environment/app_command.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace carme::agent {
namespace {

const AppPaths kPlaces = {.socket = "/run/j/app.sock",
                          .port = "8080",
                          .dir = "/run/j",
                          .scratch = "/scratch/7",
                          .host = "x.jobs.example:8443",
                          .carme = "/.carme/programs",
                          .base = "/x-code/"};
const UserAccount kAda = {"ada", "/home/ada", "/bin/bash"};

bool Has(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

TEST_CASE("app command: leaves other braces unchanged", "[agent]") {
  for (const std::string text :
       {"{}", "{ socket}", "{SOCKET}", "{\"a\": {}}", "{socket", "{{", ""}) {
    CHECK(Substitute(std::string_view(text), kPlaces) == text);
  }
}

TEST_CASE("app command: does not expand inserted text", "[agent]") {
  const AppPaths nested = {.socket = "{dir}",
                           .port = "",
                           .dir = "{host}",
                           .scratch = "",
                           .host = "{socket}",
                           .carme = ""};
  CHECK(Substitute(std::string_view("{socket}{dir}{host}"), nested) ==
        "{dir}{host}{socket}");
}

TEST_CASE("app command: replaces each placeholder", "[agent]") {
  const std::vector<std::string> command = {"app",
                                            "--sock={socket}",
                                            "{dir}/{dir}",
                                            "a b;$(c){host}",
                                            "{carme}/x:{port}{scratch}",
                                            "--base_url={base}"};
  CHECK(Substitute(command, kPlaces) ==
        std::vector<std::string>{"app", "--sock=/run/j/app.sock",
                                 "/run/j//run/j", "a b;$(c)x.jobs.example:8443",
                                 "/.carme/programs/x:8080/scratch/7",
                                 "--base_url=/x-code/"});
}

TEST_CASE("app command: prefixes paths with the base of the app", "[agent]") {
  AppPlan app;
  app.base_path = "/x-code/";
  app.command = {"app", "{socket}", "{host}"};
  CHECK(PathAt(app, "/api") == "/api");
  app.command = {"app", "{socket}", "--base_url={base}"};
  CHECK(PathAt(app, "/api") == "/x-code/api");
  CHECK(PathAt(app, "/") == "/x-code/");
  app.base_path = "/";
  CHECK(PathAt(app, "/api") == "/api");
}

EnvironmentPlan Apptainer() {
  EnvironmentPlan plan;
  plan.runtime = v1::RUNTIME_APPTAINER;
  return plan;
}

EnvironmentFacts Facts() {
  EnvironmentFacts facts;
  facts.directory = "/run/j";
  return facts;
}

TEST_CASE("runtime environment: no settings of Apptainer come from the user",
          "[agent]") {
  const auto entries = RuntimeEnvironment(
      Apptainer(), {"APPTAINER_BIND=/etc:/etc", "SINGULARITY_BIND=/x"}, kAda,
      "/run/j");
  CHECK_FALSE(Has(entries, "APPTAINER_BIND=/etc:/etc"));
  CHECK_FALSE(Has(entries, "SINGULARITY_BIND=/x"));
  CHECK(Has(entries, "APPTAINER_CONFIGDIR=/run/j/apptainer"));
}

TEST_CASE("runtime environment: values of the job win", "[agent]") {
  const auto entries = RuntimeEnvironment(
      {}, {"HOME=/scratch/ada", "SLURM_JOB_ID=7", "nonsense", "=x"}, kAda,
      "/run/j");
  CHECK(Has(entries, "HOME=/scratch/ada"));
  CHECK(Has(entries, "SLURM_JOB_ID=7"));
  CHECK_FALSE(Has(entries, "nonsense"));
  CHECK_FALSE(Has(entries, "=x"));
}

TEST_CASE("runtime environment: missing values come from the account",
          "[agent]") {
  const auto entries = RuntimeEnvironment({}, {}, kAda, "/run/j");
  CHECK(Has(entries, "HOME=/home/ada"));
  CHECK(Has(entries, "USER=ada"));
  CHECK(Has(entries, "SHELL=/bin/bash"));
  CHECK(Has(entries, "PATH=/usr/local/bin:/usr/bin:/bin"));
}

TEST_CASE("app environment: the node's own values stay on the node",
          "[agent]") {
  const auto entries = AppEnvironment(
      Apptainer(), {}, {"PATH=/node", "LD_PRELOAD=/x.so", "LANG=de_DE"}, kAda,
      Facts());
  for (const char* entry : {"PATH=/node", "LD_PRELOAD=/x.so", "LANG=de_DE"}) {
    CHECK_FALSE(Has(entries, entry));
  }
}

TEST_CASE("app environment: the app's wins over the image's over the job's",
          "[agent]") {
  EnvironmentPlan plan = Apptainer();
  plan.environment = {{"TZ", "image"},
                      {"A", "image"},
                      {"SLURM_JOB_ID", "3"},
                      {"SLURM_NTASKS", "3"},
                      {"CARME_JOB_STORAGE", "/x"}};
  AppPlan app;
  app.environment = {{"A", "app"}};
  const auto entries = AppEnvironment(
      plan, app, {"TZ=job", "SLURM_JOB_ID=7", "CUDA_VISIBLE_DEVICES=1"}, kAda,
      Facts());
  CHECK(Has(entries, "TZ=image"));
  CHECK(Has(entries, "A=app"));
  // not what belongs to Slurm and Carme
  CHECK(Has(entries, "SLURM_JOB_ID=7"));
  CHECK_FALSE(Has(entries, "SLURM_NTASKS=3"));
  CHECK_FALSE(Has(entries, "CARME_JOB_STORAGE=/x"));
  CHECK(Has(entries, "CUDA_VISIBLE_DEVICES=1"));
}

TEST_CASE("app environment: runtime directories are always the job's",
          "[agent]") {
  AppPlan app;
  app.environment = {{"XDG_RUNTIME_DIR", "/run/user/1"},
                     {"JUPYTER_RUNTIME_DIR", "/tmp"}};
  const auto entries = AppEnvironment({}, app, {}, kAda, Facts());
  CHECK(Has(entries, "XDG_RUNTIME_DIR=/run/j"));
  CHECK(Has(entries, "JUPYTER_RUNTIME_DIR=/run/j/jupyter"));
}

TEST_CASE(
    "app environment: without an image files are in the scratch directory",
    "[agent]") {
  EnvironmentFacts facts = Facts();
  facts.scratch = "/scratch/7";
  CHECK(Has(AppEnvironment({}, {}, {}, kAda, facts), "TMPDIR=/scratch/7"));
  CHECK_FALSE(Has(AppEnvironment(Apptainer(), {}, {}, kAda, facts),
                  "TMPDIR=/scratch/7"));
  AppPlan app;
  app.environment = {{"TMPDIR", "/big"}};
  CHECK(Has(AppEnvironment({}, app, {}, kAda, facts), "TMPDIR=/big"));
}

}  // namespace
}  // namespace carme::agent
