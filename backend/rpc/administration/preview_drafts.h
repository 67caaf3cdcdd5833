// The unsaved templates and limits of a preview. The code that saves them
// checks and writes them, to an overlay of the database.
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_PREVIEW_DRAFTS_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_PREVIEW_DRAFTS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"

namespace carme::v1 {
class LimitDraft;
class PreviewStartFormRequest;
class TemplateDraft;
}  // namespace carme::v1

namespace carme::backend {

class PreviewDrafts {
 public:
  static constexpr int kMaxProjects = 64;  // attached, and detached

  // All must outlive the call. The templates and limits are the saved ones.
  struct Parts {
    Database* database;  // only its file is read
    Scheduler* scheduler;
    Templates* templates;
    Quotas* quotas;
  };

  static bool AreIn(const v1::PreviewStartFormRequest& request);

  // What the database would have with the drafts of the request, saved by the
  // administrator `by`. The errors of the calls that save them;
  // FAILED_PRECONDITION: the template was changed since the editor was opened;
  // INVALID_ARGUMENT: too many projects, or an empty draft. May block for the
  // directory and for Slurm.
  static absl::StatusOr<PreviewDrafts> Apply(
      const v1::PreviewStartFormRequest& request, const std::string& by,
      const Parts& parts);

  // For the audit log: what the drafts are for, what they change and a digest.
  // Bounded, also for an invalid draft.
  static std::string Describe(const v1::PreviewStartFormRequest& request,
                              const Templates& saved);

  Database* database() { return database_.get(); }
  Templates* templates() { return templates_.get(); }
  Quotas* quotas() { return quotas_.get(); }
  // The template of the draft; empty: the request has none.
  const std::string& template_id() const { return template_id_; }

 private:
  PreviewDrafts() = default;
  absl::Status Save(const v1::TemplateDraft& draft, Scheduler* scheduler);
  absl::Status Save(const v1::LimitDraft& draft, const std::string& by);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Templates> templates_;
  std::unique_ptr<Quotas> quotas_;
  std::string template_id_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_PREVIEW_DRAFTS_H_
