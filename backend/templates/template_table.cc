#include "backend/templates/template_table.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/store/row_mapper.h"
#include "backend/templates/messages.h"
#include "backend/templates/template_proto.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<TemplateRecord>& TemplateColumns() {
  static const auto* const columns = new RowMapper<TemplateRecord>({
      // Before the columns that complete the template.
      ConvertedColumn<TemplateRecord, Blob>(
          "settings",
          [](const TemplateRecord& record) {
            return Blob{SerializeTemplate(record.job_template)};
          },
          [](const Blob& blob, TemplateRecord* record) -> absl::Status {
            ASSIGN_OR_RETURN(record->job_template, ParseTemplate(blob.bytes));
            return absl::OkStatus();
          }),
      {"id", Member(&TemplateRecord::job_template, &JobTemplate::id)},
      {"name", Member(&TemplateRecord::job_template, &JobTemplate::name)},
      {"retired", &TemplateRecord::retired},
      {"everybody", &TemplateRecord::everybody},
      {"created_at", &TemplateRecord::created_at},
  });
  return *columns;
}

// `projects`: an expression for the comma-separated projects of a template.
std::string Select(absl::string_view projects, absl::string_view rest) {
  return absl::StrCat("SELECT ", TemplateColumns().list(), ", ", projects,
                      " FROM templates ", rest);
}

constexpr char kNoProjects[] = "''";
constexpr char kAllProjects[] =
    "(SELECT group_concat(project) FROM template_projects WHERE template=id)";

absl::StatusOr<TemplateRecord> RecordAt(const Statement& row) {
  ASSIGN_OR_RETURN(TemplateRecord record, TemplateColumns().Read(row));
  std::optional<std::string> projects;  // NULL: none
  RETURN_IF_ERROR(ReadColumn(row, TemplateColumns().size(), &projects));
  record.projects =
      absl::StrSplit(projects.value_or(""), ',', absl::SkipEmpty());
  return record;
}

absl::StatusOr<std::vector<TemplateRecord>> ReadAll(Statement& row) {
  std::vector<TemplateRecord> records;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return records;
    ASSIGN_OR_RETURN(TemplateRecord record, RecordAt(row));
    records.push_back(std::move(record));
  }
}

}  // namespace

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplates(Database& db) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(Select(kAllProjects, "ORDER BY name")));
  return ReadAll(row);
}

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesOf(Database& db,
                                                            Uid uid) {
  constexpr char kTheirs[] =
      "(SELECT group_concat(t.project) FROM template_projects t JOIN "
      "project_members m ON m.project=t.project WHERE t.template=id AND "
      "m.uid=?1 AND m.role>=4)";
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(Select(absl::StrCat(kTheirs, " AS theirs"),
                        "WHERE retired=0 AND (everybody=1 OR theirs IS NOT "
                        "NULL) ORDER BY name")));
  row.Bind(1, int64_t{uid.value()});
  return ReadAll(row);
}

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesFor(
    Database& db, const std::string& project) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(Select(
          kNoProjects,
          project.empty()
              ? "WHERE everybody=1 ORDER BY name"
              : "WHERE id IN (SELECT template FROM template_projects WHERE "
                "project=?1) ORDER BY name")));
  if (!project.empty()) row.Bind(1, project);
  return ReadAll(row);
}

absl::StatusOr<TemplateRecord> ReadTemplate(Database& db,
                                            const std::string& id) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(Select(kAllProjects, "WHERE id=?1")));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, id).Step());
  if (!found) return MakeError(template_messages::kNotFound);
  return RecordAt(row);
}

absl::Status PutTemplate(Database& db, const TemplateRecord& record) {
  static const RowMapper<TemplateRecord> changed =
      TemplateColumns().Only({"name", "settings", "retired", "everybody"});
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare(absl::StrCat(
                       TemplateColumns().InsertInto("templates"),
                       " ON CONFLICT (id) DO UPDATE SET ", changed.updates())));
  TemplateColumns().Bind(write, record);
  return write.Run();
}

absl::Status PutTemplateProject(Database& db, const std::string& id,
                                const std::string& project, bool attached) {
  if (!attached) {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM template_projects WHERE "
                                "template=?1 AND project=?2"));
    return write.Bind(1, id).Bind(2, project).Run();
  }
  ASSIGN_OR_RETURN(Statement known,
                   db.Prepare("SELECT 1 FROM projects WHERE id=?1"));
  ASSIGN_OR_RETURN(const bool found, known.Bind(1, project).Step());
  if (!found) return MakeError(template_messages::kNoSuchProject);
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("INSERT INTO template_projects (template, "
                              "project) VALUES (?1,?2) ON CONFLICT DO "
                              "NOTHING"));
  return write.Bind(1, id).Bind(2, project).Run();
}

absl::StatusOr<bool> IsTemplateName(Database& db, const std::string& name,
                                    const std::string& but_of) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT 1 FROM templates WHERE name=?1 AND id<>?2"));
  return row.Bind(1, name).Bind(2, but_of).Step();
}

}  // namespace carme::backend
