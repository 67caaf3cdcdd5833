#include "backend/carmectl/doctor/doctor_report.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/carmectl/doctor/check_table.h"
#include "backend/carmectl/doctor/messages.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxText = 2000;

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

// With quotes.
std::string JsonText(std::string_view text) {
  google::protobuf::StringValue value;
  value.set_value(std::string(text));
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(value, &json).ok()) {
    return "\"\"";
  }
  return json;
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsSelected(const CheckInfo& info, const CheckSelection& selection) {
  if (Contains(selection.skip, info.name)) return false;
  if (selection.only.empty()) return !info.on_request;
  return Contains(selection.only, info.name);
}

bool Concerns(const CheckInfo& info, const Host& host) {
  return std::any_of(info.roles.begin(), info.roles.end(),
                     [&](HostRole role) { return host.Has(role); });
}

absl::Status CheckNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto& all = AllChecks();
    if (std::none_of(all.begin(), all.end(), [&](const auto& check) {
          return check->info().name == name;
        })) {
      return MakePlainError(doctor_messages::kUnknownCheck, {{"name", name}});
    }
  }
  return absl::OkStatus();
}

std::string FormatFinding(const std::string& check, const Finding& finding) {
  return absl::StrCat(
      std::string(SeverityName(finding.kind.severity)), " [", check, "] ",
      std::string(finding.kind.id), "\n  ", Readable(finding.problem, kMaxText),
      ".\n  ", std::string(finding.kind.why),
      "\n  Remedy: ", Readable(finding.remedy, kMaxText), "\n\n");
}

std::string FindingJson(const Finding& finding) {
  return absl::StrCat("{\"id\":", JsonText(finding.kind.id), ",\"severity\":",
                      JsonText(SeverityName(finding.kind.severity)),
                      ",\"problem\":", JsonText(finding.problem),
                      ",\"why\":", JsonText(finding.kind.why),
                      ",\"remedy\":", JsonText(finding.remedy), "}");
}

}  // namespace

int DoctorReport::Count(Severity severity) const {
  int count = 0;
  for (const CheckResult& result : results) {
    for (const Finding& finding : result.findings) {
      if (finding.kind.severity == severity) ++count;
    }
  }
  return count;
}

absl::StatusOr<DoctorReport> RunChecks(const Host& host,
                                       const CheckSelection& selection) {
  RETURN_IF_ERROR(CheckNames(selection.only));
  RETURN_IF_ERROR(CheckNames(selection.skip));
  if (host.roles().empty()) {
    return MakePlainError(doctor_messages::kNoConfiguration,
                          {{"directory", host.options().config_directory}});
  }
  DoctorReport report;
  for (const HostRole role : host.roles()) {
    report.roles.emplace_back(HostRoleName(role));
  }
  for (const auto& check : AllChecks()) {
    const CheckInfo info = check->info();
    if (!Concerns(info, host) || !IsSelected(info, selection)) continue;
    report.results.push_back(
        {.check = std::string(info.name), .findings = check->Run(host)});
  }
  return report;
}

std::string FormatReport(const DoctorReport& report) {
  std::string text =
      absl::StrCat("Roles of this host: ", absl::StrJoin(report.roles, ", "),
                   "\n", report.results.size(), " checks\n\n");
  for (const Severity severity :
       {Severity::kNote, Severity::kWarning, Severity::kError}) {
    for (const CheckResult& result : report.results) {
      for (const Finding& finding : result.findings) {
        if (finding.kind.severity == severity) {
          text += FormatFinding(result.check, finding);
        }
      }
    }
  }
  absl::StrAppend(&text, report.Count(Severity::kError), " errors, ",
                  report.Count(Severity::kWarning), " warnings, ",
                  report.Count(Severity::kNote), " notes\n");
  return text;
}

std::string FormatReportJson(const DoctorReport& report) {
  std::vector<std::string> checks;
  for (const CheckResult& result : report.results) {
    checks.push_back(absl::StrCat(
        "{\"name\":", JsonText(result.check), ",\"findings\":[",
        absl::StrJoin(result.findings, ",",
                      [](std::string* out, const Finding& finding) {
                        out->append(FindingJson(finding));
                      }),
        "]}"));
  }
  return absl::StrCat(
      "{\"version\":1,\"roles\":[",
      absl::StrJoin(report.roles, ",",
                    [](std::string* out, const std::string& role) {
                      out->append(JsonText(role));
                    }),
      "],\"checks\":[", absl::StrJoin(checks, ","),
      "],\"errors\":", report.Count(Severity::kError),
      ",\"warnings\":", report.Count(Severity::kWarning),
      ",\"notes\":", report.Count(Severity::kNote), "}\n");
}

std::string FormatCheckList() {
  std::string text;
  for (const auto& check : AllChecks()) {
    const CheckInfo info = check->info();
    absl::StrAppend(&text, std::string(info.name), ": ",
                    std::string(info.about),
                    info.on_request ? " (only if named)" : "", "\n");
    for (const FindingKind& kind : info.kinds) {
      absl::StrAppend(&text, "  ", std::string(SeverityName(kind.severity)),
                      " ", std::string(kind.id), "\n");
    }
  }
  return text;
}

}  // namespace carme::carmectl
