// Every template of the site: made, changed, retired, given to projects. What a
// job is to go by is read from the database, in the very transaction that
// records it. What the template of a job that runs says is kept in memory, too,
// for whoever must not wait for the disk.
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
#include "backend/templates/template_record.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Whether the caller is an administrator is not asked here: the
// contract says so. Words are for the person but for the database's.
class Templates {
 public:
  static constexpr size_t kMost = 500;          // of the site
  static constexpr size_t kMaxOfProject = 32;  // and of everybody

  // Both outlive the templates. Nothing else may write their tables.
  static absl::StatusOr<std::unique_ptr<Templates>> Open(Database* database,
                                                         const Clock* clock);

  // By name.
  absl::StatusOr<std::vector<TemplateRecord>> All();
  // Those that this user may ask by, with the projects of theirs.
  absl::StatusOr<std::vector<TemplateRecord>> Of(Uid uid);
  // As it was written last, retired or not, from memory. NOT_FOUND.
  absl::StatusOr<JobTemplate> Find(const std::string& id) const;

  // INVALID_ARGUMENT; ALREADY_EXISTS: the name; RESOURCE_EXHAUSTED.
  absl::StatusOr<TemplateRecord> Create(JobTemplate settings);
  // INVALID_ARGUMENT; ALREADY_EXISTS; NOT_FOUND.
  absl::StatusOr<TemplateRecord> Change(const std::string& id,
                                        JobTemplate settings);
  absl::StatusOr<TemplateRecord> Retire(const std::string& id, bool retired);
  // An empty project: everybody without one. NOT_FOUND; FAILED_PRECONDITION: a
  // retired one is given to nobody; RESOURCE_EXHAUSTED.
  absl::StatusOr<TemplateRecord> Attach(const std::string& id,
                                        const std::string& project,
                                        bool attached);

  // By what jobs in this project go; empty: those without one. Nobody's jobs
  // are counted. REQUIRES: in the body of a transaction or query.
  static absl::StatusOr<TemplateOffer> OfferFor(Database& db,
                                                const std::string& project);

 private:
  // One transaction: reads it, edits it, and gives what has become of it.
  using Edit = std::function<absl::Status(Database&, TemplateRecord*)>;
  absl::StatusOr<TemplateRecord> Edited(const std::string& id,
                                        const Edit& edit);
  Templates(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}
  // After it was written. REQUIRES: editing_ has been held since before.
  void Keep(const JobTemplate& written);

  Database& database_;
  const Clock& clock_;
  absl::Mutex editing_;  // what is kept is then what was written last
  mutable absl::Mutex mutex_;
  std::map<std::string, JobTemplate> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATES_H_
