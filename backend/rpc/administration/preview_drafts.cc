#include "backend/rpc/administration/preview_drafts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/message_differencer.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/rpc/administration/messages.h"
#include "backend/rpc/convert/limit_proto.h"
#include "backend/rpc/convert/slurm_names.h"
#include "backend/store/overlay.h"
#include "backend/templates/template_proto.h"
#include "carme/v1/user_preview.pb.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::util::MessageDifferencer;

constexpr size_t kMaxDescription = 200;
constexpr size_t kMaxNameBytes = 64;
constexpr size_t kDigestLength = 16;

// The names of the fields whose values differ.
std::vector<std::string> ChangedFields(const v1::TemplateSettings& before,
                                       const v1::TemplateSettings& after) {
  std::vector<std::string> names;
  const auto* const type = v1::TemplateSettings::descriptor();
  MessageDifferencer differencer;
  for (int i = 0; i < type->field_count(); ++i) {
    const std::vector<const FieldDescriptor*> one = {type->field(i)};
    if (!differencer.CompareWithFields(before, after, one, one)) {
      names.push_back(one[0]->name());
    }
  }
  return names;
}

std::string Digest(const v1::TemplateSettings& settings) {
  return HexEncode(Sha256(SerializeTemplate(TemplateOf(settings))))
      .substr(0, kDigestLength);
}

std::string DescribeTemplate(const v1::TemplateDraft& draft,
                             const Templates& saved) {
  const v1::TemplateSettings& settings = draft.settings();
  const bool is_new = draft.template_id().empty();
  std::string text =
      is_new ? absl::StrCat("new template \"",
                            Readable(settings.name(), kMaxNameBytes), "\"")
             : absl::StrCat("template ",
                            Readable(draft.template_id(), kMaxNameBytes));
  if (is_new || draft.has_settings()) {
    absl::StrAppend(&text, " sha256 ", Digest(settings));
  }
  const absl::StatusOr<JobTemplate> before = saved.Find(draft.template_id());
  if (draft.has_settings() && before.ok()) {
    v1::TemplateSettings old;
    Fill(*before, &old);
    absl::StrAppend(&text, " changes ",
                    absl::StrJoin(ChangedFields(old, settings), " "));
  }
  if (draft.has_retired()) {
    absl::StrAppend(&text, draft.retired() ? ", retired" : ", in use");
  }
  for (const auto& [projects, verb] :
       {std::pair(&draft.attach(), ", attached to "),
        std::pair(&draft.detach(), ", detached from ")}) {
    if (projects->empty()) continue;
    const std::string& first = projects->Get(0);
    absl::StrAppend(
        &text, verb,
        first.empty() ? "everybody" : Readable(first, kMaxNameBytes));
    if (projects->size() > 1) {
      absl::StrAppend(&text, " and ", projects->size() - 1, " more");
    }
  }
  return text;
}

std::string DescribeLimit(const v1::LimitDraft& draft) {
  const bool removes = draft.has_remove();
  const QuotaRule rule = RuleOf(removes ? draft.remove() : draft.set());
  return absl::StrCat(removes ? "removal of limit of " : "limit of ",
                      Readable(QuotaSource(rule), kMaxNameBytes), ": ",
                      LimitName(rule.metric),
                      removes    ? ""
                      : rule.max ? absl::StrCat(" ", *rule.max)
                                 : " unlimited");
}

}  // namespace

bool PreviewDrafts::AreIn(const v1::PreviewStartFormRequest& request) {
  return request.has_template_draft() || request.has_limit_draft();
}

absl::StatusOr<PreviewDrafts> PreviewDrafts::Apply(
    const v1::PreviewStartFormRequest& request, const std::string& by,
    const Parts& parts) {
  const v1::TemplateDraft& job_template = request.template_draft();
  if (job_template.attach_size() > kMaxProjects ||
      job_template.detach_size() > kMaxProjects) {
    return MakeError(rpc_administration_messages::kPreviewDraftProjects,
                     {{"max", kMaxProjects}});
  }
  std::vector<OverlayTable> tables = Templates::WrittenTables();
  for (OverlayTable& table : Quotas::WrittenTables()) {
    tables.push_back(std::move(table));
  }
  PreviewDrafts drafts;
  ASSIGN_OR_RETURN(drafts.database_, OpenOverlay(parts.database, tables));
  Database* const overlay = drafts.database_.get();
  ASSIGN_OR_RETURN(drafts.templates_, parts.templates->OpenOn(overlay));
  ASSIGN_OR_RETURN(drafts.quotas_, parts.quotas->OpenOn(overlay));
  if (request.has_template_draft()) {
    RETURN_IF_ERROR(drafts.Save(job_template, parts.scheduler));
  }
  if (request.has_limit_draft()) {
    RETURN_IF_ERROR(drafts.Save(request.limit_draft(), by));
  }
  return drafts;
}

absl::Status PreviewDrafts::Save(const v1::TemplateDraft& draft,
                                 Scheduler* scheduler) {
  std::string& id = template_id_;
  id = draft.template_id();
  if (!id.empty()) {
    ASSIGN_OR_RETURN(const JobTemplate saved, templates_->Find(id));
    JobTemplate base = TemplateOf(draft.base());
    base.id = id;
    if (draft.has_base() && base != saved) {
      return MakeError(rpc_administration_messages::kPreviewDraftOutdated);
    }
  }
  if (id.empty() || draft.has_settings()) {
    const JobTemplate settings = TemplateOf(draft.settings());
    RETURN_IF_ERROR(CheckSlurmNamesOf(settings, scheduler));
    ASSIGN_OR_RETURN(const TemplateRecord record,
                     id.empty() ? templates_->Create(settings)
                                : templates_->Change(id, settings));
    id = record.job_template.id;
  }
  if (draft.has_retired()) {
    RETURN_IF_ERROR(templates_->Retire(id, draft.retired()).status());
  }
  for (const std::string& project : draft.detach()) {
    RETURN_IF_ERROR(templates_->Attach(id, project, false).status());
  }
  for (const std::string& project : draft.attach()) {
    RETURN_IF_ERROR(templates_->Attach(id, project, true).status());
  }
  return absl::OkStatus();
}

absl::Status PreviewDrafts::Save(const v1::LimitDraft& draft,
                                 const std::string& by) {
  switch (draft.change_case()) {
    case v1::LimitDraft::kSet:
      return quotas_->Set(RuleOf(draft.set()), by).status();
    case v1::LimitDraft::kRemove:
      return quotas_->Remove(RuleOf(draft.remove()));
    default:
      return MakeError(rpc_administration_messages::kPreviewDraftEmpty);
  }
}

std::string PreviewDrafts::Describe(const v1::PreviewStartFormRequest& request,
                                    const Templates& saved) {
  std::vector<std::string> drafts;
  if (request.has_template_draft()) {
    drafts.push_back(DescribeTemplate(request.template_draft(), saved));
  }
  if (request.has_limit_draft()) {
    drafts.push_back(DescribeLimit(request.limit_draft()));
  }
  return Readable(absl::StrJoin(drafts, "; "), kMaxDescription);
}

}  // namespace carme::backend
