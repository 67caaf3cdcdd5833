#include "backend/carmectl/portal/course_plan.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/portal/csv_reader.h"
#include "backend/carmectl/portal/messages.h"
#include "backend/carmectl/portal/portal_options.h"

namespace carme::carmectl {
namespace {

constexpr char kProjectLimit[] = "limit.";
constexpr char kMemberLimit[] = "member.";
constexpr int64_t kMaxLimit = 1'000'000'000;

// Collects the file's faults, so that all are reported at once.
class Parser {
 public:
  explicit Parser(CsvTable table) : table_(std::move(table)) {}

  absl::StatusOr<std::vector<CourseProject>> Run() {
    CheckHeadings();
    for (const CsvRow& row : table_.rows) ParseRow(row);
    for (const CourseProject& project : projects_) CheckPeople(project);
    if (faults_.empty()) return std::move(projects_);
    return absl::InvalidArgumentError(absl::StrJoin(faults_, "\n"));
  }

 private:
  void Fault(int line, const std::string& what) {
    faults_.push_back(absl::StrCat("line ", line, ": ", what));
  }

  void CheckHeadings() {
    const std::set<std::string> known = {
        "project",        "username", "email",   "role",     "description",
        "classification", "account",  "expires", "templates"};
    bool has_project = false;
    for (const std::string& heading : table_.headings) {
      has_project = has_project || heading == "project";
      if (known.contains(heading)) continue;
      for (const char* prefix : {kProjectLimit, kMemberLimit}) {
        if (!heading.starts_with(prefix)) continue;
        const std::string metric = heading.substr(std::string(prefix).size());
        const absl::Status sound = ParseMetric(metric).status();
        if (!sound.ok()) Fault(1, std::string(sound.message()));
      }
      if (!heading.starts_with(kProjectLimit) &&
          !heading.starts_with(kMemberLimit)) {
        Fault(1, absl::StrCat("unknown column \"", heading, "\""));
      }
    }
    if (!has_project) Fault(1, "expected a column \"project\"");
  }

  CourseProject& ProjectOf(const CsvRow& row) {
    const std::string& name = row.Get("project");
    const auto found = std::find_if(
        projects_.begin(), projects_.end(),
        [&](const CourseProject& project) { return project.name == name; });
    if (found != projects_.end()) return *found;
    projects_.push_back({.line = row.line, .name = name});
    return projects_.back();
  }

  // The value of a project, which may be on any of its lines.
  template <typename Value>
  void Set(int line, const char* what, Value value,
           std::optional<Value>* field) {
    if (*field && **field != value) {
      Fault(line,
            absl::StrCat("another line of this project has another ", what));
    }
    *field = std::move(value);
  }

  void ParseRow(const CsvRow& row) {
    if (row.Get("project").empty()) {
      return Fault(row.line, "expected a project");
    }
    CourseProject& project = ProjectOf(row);
    for (const auto& [heading, field] :
         {std::pair{"description", &project.description},
          {"classification", &project.classification},
          {"account", &project.account}}) {
      const std::string& value = row.Get(heading);
      if (!value.empty()) Set(row.line, heading, value, field);
    }
    if (!row.Get("expires").empty()) {
      const absl::StatusOr<absl::Time> end = ParseDay(row.Get("expires"));
      if (end.ok()) {
        Set(row.line, "end", *end, &project.expires_at);
      } else {
        Fault(row.line, std::string(end.status().message()));
      }
    }
    for (absl::string_view one :
         absl::StrSplit(row.Get("templates"), ';', absl::SkipWhitespace())) {
      const std::string name(absl::StripAsciiWhitespace(one));
      if (std::find(project.templates.begin(), project.templates.end(), name) ==
          project.templates.end()) {
        project.templates.push_back(name);
      }
    }
    ParseLimits(row, kProjectLimit, &project.limits);
    ParseLimits(row, kMemberLimit, &project.member_limits);
    ParseMember(row, &project);
  }

  void ParseLimits(const CsvRow& row, const std::string& prefix,
                   std::map<v1::LimitMetric, int64_t>* limits) {
    for (const auto& [heading, text] : row.cells) {
      if (text.empty() || !heading.starts_with(prefix)) continue;
      const auto metric = ParseMetric(heading.substr(prefix.size()));
      if (!metric.ok()) continue;  // a fault of the headings
      int64_t max = 0;
      if (!absl::SimpleAtoi(text, &max) || max < 0 || max > kMaxLimit) {
        Fault(row.line, absl::StrCat(heading, " is \"", text,
                                     "\": expected 0 to ", kMaxLimit));
        continue;
      }
      const auto [found, fresh] = limits->try_emplace(*metric, max);
      if (!fresh && found->second != max) {
        Fault(
            row.line,
            absl::StrCat("another line of this project has another ", heading));
      }
    }
  }

  void ParseMember(const CsvRow& row, CourseProject* project) {
    CourseMember member{.line = row.line,
                        .username = row.Get("username"),
                        .email = row.Get("email")};
    const std::string role = absl::AsciiStrToLower(row.Get("role"));
    if (member.who().empty()) {
      if (!role.empty()) Fault(row.line, "a role without a person");
      return;
    }
    if (!member.username.empty()) member.email.clear();
    if (role == "manager") {
      member.place = v1::PROJECT_ROLE_MANAGER;
    } else if (role == "owner") {
      member.place = v1::PROJECT_ROLE_OWNER;
    } else if (!role.empty() && role != "member") {
      Fault(row.line, absl::StrCat("role is \"", role,
                                   "\": expected member, manager or owner"));
    }
    project->members.push_back(std::move(member));
  }

  void CheckPeople(const CourseProject& project) {
    std::set<std::string> once;
    const CourseMember* owner = nullptr;
    for (const CourseMember& member : project.members) {
      if (!once.insert(absl::AsciiStrToLower(member.who())).second) {
        Fault(member.line,
              absl::StrCat("\"", member.who(), "\" is in this project twice"));
      }
      if (member.place != v1::PROJECT_ROLE_OWNER) continue;
      if (owner != nullptr) {
        Fault(member.line, absl::StrCat("a second owner: line ", owner->line,
                                        " has the first"));
      }
      owner = &member;
    }
  }

  const CsvTable table_;
  std::vector<CourseProject> projects_;
  std::vector<std::string> faults_;
};

}  // namespace

absl::StatusOr<std::vector<CourseProject>> ParseCourse(std::string_view csv) {
  ASSIGN_OR_RETURN(CsvTable table, ReadCsv(csv));
  return Parser(std::move(table)).Run();
}

absl::StatusOr<v1::LimitMetric> ParseMetric(std::string_view text) {
  v1::LimitMetric metric;
  if (v1::LimitMetric_Parse(
          absl::StrCat("LIMIT_METRIC_",
                       absl::AsciiStrToUpper(std::string(text))),
          &metric) &&
      metric != v1::LIMIT_METRIC_UNSPECIFIED) {
    return metric;
  }
  return MakePlainError(portal_messages::kUnknownLimit, {{"text", text}});
}

std::string MetricText(v1::LimitMetric metric) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(v1::LimitMetric_Name(metric), "LIMIT_METRIC_"));
}

}  // namespace carme::carmectl
