// The templates of the site. The template of a new job is read from the
// database in the transaction that records the job. Templates are also kept in
// memory for callers that must not block.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATES_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATES_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/store/database.h"
#include "backend/store/overlay.h"
#include "backend/templates/template_lookup.h"
#include "backend/templates/template_record.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Does not check that the caller is an administrator: the access
// rules of the services do. Messages are for the user, except those of the
// database.
class Templates : public TemplateLookup {
 public:
  static constexpr size_t kMaxTemplates = 500;  // in total
  static constexpr size_t kMaxOfProject =
      32;  // per project, and for users without one

  // Both must outlive this. No other code may write these tables.
  static absl::StatusOr<std::unique_ptr<Templates>> Open(Database* database,
                                                         const Clock* clock);

  // The same operations on another database, such as an overlay of this one,
  // which must outlive the result.
  absl::StatusOr<std::unique_ptr<Templates>> OpenOn(Database* database) const {
    return Open(database, &clock_);
  }

  // The tables that operations write.
  static std::vector<OverlayTable> WrittenTables();

  // By name.
  absl::StatusOr<std::vector<TemplateRecord>> All();
  // The templates that this user may use, with their projects.
  absl::StatusOr<std::vector<TemplateRecord>> Of(Uid uid);
  // From memory.
  absl::StatusOr<JobTemplate> Find(const std::string& id) const override;

  // INVALID_ARGUMENT; ALREADY_EXISTS: the name; RESOURCE_EXHAUSTED.
  absl::StatusOr<TemplateRecord> Create(JobTemplate settings);
  // INVALID_ARGUMENT; ALREADY_EXISTS; NOT_FOUND.
  absl::StatusOr<TemplateRecord> Change(const std::string& id,
                                        JobTemplate settings);
  absl::StatusOr<TemplateRecord> Retire(const std::string& id, bool retired);
  // An empty project: users without one. NOT_FOUND; FAILED_PRECONDITION: the
  // template is retired; RESOURCE_EXHAUSTED.
  absl::StatusOr<TemplateRecord> Attach(const std::string& id,
                                        const std::string& project,
                                        bool attached);

  // The templates for jobs in this project; empty: for users without one. Jobs
  // are not counted. REQUIRES: in the body of a transaction or query.
  static absl::StatusOr<TemplateOffer> OfferFor(Database& db,
                                                const std::string& project);

 private:
  // One transaction: reads, edits and writes the template, and returns it.
  using Edit = std::function<absl::Status(Database&, TemplateRecord*)>;
  absl::StatusOr<TemplateRecord> Edited(const std::string& id,
                                        const Edit& edit);
  Templates(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}
  // After a write. REQUIRES: editing_ is held since before the write.
  void Keep(const JobTemplate& written);

  Database& database_;
  const Clock& clock_;
  absl::Mutex editing_;  // keeps memory and database in the same order
  mutable absl::Mutex mutex_;
  std::map<std::string, JobTemplate> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATES_H_
