#include "backend/templates/templates.h"

#include <utility>

#include "absl/memory/memory.h"
#include "backend/templates/messages.h"
#include "backend/templates/template_rules.h"
#include "backend/templates/template_table.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status CheckName(Database& db, const JobTemplate& settings) {
  ASSIGN_OR_RETURN(const bool taken,
                   IsTemplateName(db, settings.name, settings.id));
  if (!taken) return absl::OkStatus();
  return MakeError(template_messages::kNameTaken);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Templates>> Templates::Open(Database* database,
                                                           const Clock* clock) {
  auto templates = absl::WrapUnique(new Templates(database, clock));
  ASSIGN_OR_RETURN(const std::vector<TemplateRecord> records, templates->All());
  for (const TemplateRecord& record : records) {
    templates->Keep(record.job_template);
  }
  return templates;
}

std::vector<OverlayTable> Templates::WrittenTables() {
  return {{.name = "templates"}, {.name = "template_projects"}};
}

void Templates::Keep(const JobTemplate& written) {
  absl::MutexLock lock(&mutex_);
  kept_.insert_or_assign(written.id, written);
}

absl::StatusOr<std::vector<TemplateRecord>> Templates::All() {
  std::vector<TemplateRecord> records;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(records, ReadTemplates(db));
    return absl::OkStatus();
  }));
  return records;
}

absl::StatusOr<std::vector<TemplateRecord>> Templates::Of(Uid uid) {
  std::vector<TemplateRecord> records;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(records, ReadTemplatesOf(db, uid));
    return absl::OkStatus();
  }));
  return records;
}

absl::StatusOr<JobTemplate> Templates::Find(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  const auto found = kept_.find(id);
  if (found != kept_.end()) return found->second;
  return MakeError(template_messages::kNotFound);
}

absl::StatusOr<TemplateRecord> Templates::Create(JobTemplate settings) {
  RETURN_IF_ERROR(CheckTemplateSettings(settings));
  settings.id = NewJobId().value();
  const TemplateRecord record{
      .job_template = std::move(settings),
      // The precision of the table.
      .created_at = absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now()))};
  absl::MutexLock editing(&editing_);
  const absl::Status made =
      database_.Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(const auto all, ReadTemplates(db));
        if (all.size() >= kMaxTemplates) {
          return MakeError(template_messages::kTooMany,
                           {{"templates", all.size()}, {"max", kMaxTemplates}});
        }
        RETURN_IF_ERROR(CheckName(db, record.job_template));
        return PutTemplate(db, record);
      });
  RETURN_IF_ERROR(made);
  Keep(record.job_template);
  return record;
}

absl::StatusOr<TemplateRecord> Templates::Edited(const std::string& id,
                                                 const Edit& edit) {
  TemplateRecord record;
  absl::MutexLock editing(&editing_);
  const absl::Status edited =
      database_.Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(record, ReadTemplate(db, id));
        RETURN_IF_ERROR(edit(db, &record));
        RETURN_IF_ERROR(PutTemplate(db, record));
        ASSIGN_OR_RETURN(record, ReadTemplate(db, id));
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(edited);
  Keep(record.job_template);
  return record;
}

absl::StatusOr<TemplateRecord> Templates::Change(const std::string& id,
                                                 JobTemplate settings) {
  RETURN_IF_ERROR(CheckTemplateSettings(settings));
  return Edited(id, [&](Database& db, TemplateRecord* record) {
    settings.id = id;
    record->job_template = settings;
    return CheckName(db, settings);
  });
}

absl::StatusOr<TemplateRecord> Templates::Retire(const std::string& id,
                                                 bool retired) {
  return Edited(id, [&](Database&, TemplateRecord* record) {
    record->retired = retired;
    return absl::OkStatus();
  });
}

absl::StatusOr<TemplateRecord> Templates::Attach(const std::string& id,
                                                 const std::string& project,
                                                 bool attached) {
  return Edited(id, [&](Database& db, TemplateRecord* record) -> absl::Status {
    if (attached && record->retired) {
      return MakeError(template_messages::kRetired);
    }
    if (attached) {
      ASSIGN_OR_RETURN(const auto theirs, ReadTemplatesFor(db, project));
      if (theirs.size() >= kMaxOfProject) {
        return MakeError(
            template_messages::kTooManyOfProject,
            {{"templates", theirs.size()}, {"max", kMaxOfProject}});
      }
    }
    if (!project.empty()) return PutTemplateProject(db, id, project, attached);
    record->everybody = attached;
    return absl::OkStatus();
  });
}

absl::StatusOr<TemplateOffer> Templates::OfferFor(Database& db,
                                                  const std::string& project) {
  ASSIGN_OR_RETURN(std::vector<TemplateRecord> records,
                   ReadTemplatesFor(db, project));
  TemplateOffer offer{.needed = !records.empty()};
  for (TemplateRecord& record : records) {
    if (record.retired) continue;
    offer.choices.push_back({.job_template = std::move(record.job_template)});
  }
  return offer;
}

}  // namespace carme::backend
