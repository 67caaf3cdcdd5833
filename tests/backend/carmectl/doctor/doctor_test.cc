// Each finding of `carmectl doctor`: breaks a host on purpose, one thing at a
// time, and expects the finding.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "backend/carmectl/doctor/check_table.h"
#include "tests/backend/carmectl/doctor/doctor_site.h"
#include "tests/support/status_matchers.h"

namespace carme::carmectl {
namespace {

std::vector<Breakage> AllBreakages() {
  std::vector<Breakage> all = HostBreakages();
  all.insert(all.end(), ClusterBreakages().begin(), ClusterBreakages().end());
  return all;
}

// For the output of a failed test.
std::string IdsOf(const std::vector<Finding>& findings) {
  std::string ids;
  for (const Finding& finding : findings) {
    ids += std::string(finding.kind.id) + ": " + finding.problem + "\n";
  }
  return ids;
}

bool Has(const std::vector<Finding>& findings, std::string_view id) {
  return std::any_of(
      findings.begin(), findings.end(),
      [&](const Finding& finding) { return finding.kind.id == id; });
}

TEST_CASE("doctor: reports each broken part with its finding", "[carmectl]") {
  for (const Breakage& breakage : AllBreakages()) {
    CAPTURE(breakage.finding);
    if (breakage.needs_root && geteuid() != 0) continue;
    DoctorSite site;
    breakage.apply(site);
    const std::vector<Finding> findings = site.Run(std::string(breakage.check));
    INFO(IdsOf(findings));
    CHECK(Has(findings, breakage.finding));
    for (const Finding& finding : findings) {
      CHECK(!finding.problem.empty());
      CHECK(!finding.remedy.empty());
    }
  }
}

TEST_CASE("doctor: reports nothing on a host without a fault", "[carmectl]") {
  DoctorSite site;
  CHECK(IdsOf(site.Run("")) == "");
  CHECK(IdsOf(site.Run("confinement-job")) == "");
}

TEST_CASE("doctor: a compute node has agent.toml only", "[carmectl]") {
  DoctorSite site;
  for (const char* const program :
       {"proxy", "frontend", "backend", "impersonator", "storage-reader",
        "metrics"}) {
    site.Remove(std::string("etc/") + program + ".toml");
    site.Remove(std::string("bin/carme-") + program);
  }
  site.Remove("etc/environment.toml");
  site.Remove("bin/carme-directory-probe");
  site.Remove("state");
  std::vector<std::string> checks;
  for (const CheckResult& result : site.Report({}).results) {
    INFO(result.check << ": " << IdsOf(result.findings));
    CHECK(result.findings.empty());
    checks.emplace_back(result.check);
  }
  CHECK(checks == std::vector<std::string>{
                      "configuration", "certificates", "disk", "clock",
                      "network", "munge", "slurm", "slurm-hooks", "confinement",
                      "images", "firewall"});
  site.Remove("bin/munge");
  CHECK(Has(site.Run(""), "munge-unavailable"));
  site.Remove("pki/ca.pem");
  CHECK(Has(site.Run(""), "authority-unreadable"));
}

TEST_CASE("doctor: a standby's ports are closed as long as another is active",
          "[carmectl]") {
  DoctorSite site;
  site.CloseBackendPort();
  CHECK(Has(site.Run("network"), "port-not-listening"));
  site.WriteLease("head2");
  const std::vector<Finding> standby = site.Run("network");
  INFO(IdsOf(standby));
  REQUIRE(standby.size() == 1);
  CHECK(standby[0].kind.severity == Severity::kNote);
  CHECK(standby[0].problem.find("\"head2\" is active") != std::string::npos);
  // Nothing has renewed the lease since.
  site.WriteLease("head2", absl::Seconds(11));
  CHECK(Has(site.Run("network"), "port-not-listening"));
  CHECK(IdsOf(site.Run("processes")) == "");
}

TEST_CASE("doctor: each finding of each check is tested", "[carmectl]") {
  const std::vector<Breakage> all = AllBreakages();
  for (const auto& check : AllChecks()) {
    const CheckInfo info = check->info();
    for (const FindingKind& kind : info.kinds) {
      CAPTURE(kind.id);
      CHECK(std::any_of(all.begin(), all.end(), [&](const Breakage& breakage) {
        return breakage.finding == kind.id && breakage.check == info.name;
      }));
    }
  }
}

TEST_CASE("doctor: a finding id and a check name exist once", "[carmectl]") {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  for (const auto& check : AllChecks()) {
    const CheckInfo info = check->info();
    CAPTURE(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(!info.roles.empty());
    for (const FindingKind& kind : info.kinds) {
      CAPTURE(kind.id);
      CHECK(ids.insert(kind.id).second);
      CHECK(kind.why.ends_with('.'));
    }
  }
}

TEST_CASE("doctor: reports only findings that the check declares",
          "[carmectl]") {
  DoctorSite site;
  site.Remove("bin");
  site.Remove("pki/proxy.pem");
  for (const CheckResult& result : site.Report({}).results) {
    for (const auto& check : AllChecks()) {
      const CheckInfo info = check->info();
      if (info.name != result.check) continue;
      for (const Finding& finding : result.findings) {
        CAPTURE(finding.kind.id);
        CHECK(std::any_of(info.kinds.begin(), info.kinds.end(),
                          [&](const FindingKind& kind) {
                            return kind.id == finding.kind.id;
                          }));
      }
    }
  }
}

}  // namespace
}  // namespace carme::carmectl
