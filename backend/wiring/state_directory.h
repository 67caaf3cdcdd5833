// What the state directory holds: the database with the audit log, and the keys
// of the backend.
#ifndef CARME_BACKEND_WIRING_STATE_DIRECTORY_H_
#define CARME_BACKEND_WIRING_STATE_DIRECTORY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/jobs/agents/ticket_signer.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/store/database.h"
#include "backend/wiring/backend_config.h"
#include "common/clock.h"

namespace carme::backend {

struct StateDirectory {
  // Creates what is missing. Returns the first error of a part;
  // FAILED_PRECONDITION: a restore of the directory was interrupted, or the
  // database is of a newer Carme. Both must outlive the object. REQUIRES: the
  // process has the directory's ActiveRole.
  static absl::StatusOr<std::unique_ptr<StateDirectory>> Open(
      const BackendConfig& config, const Clock* clock);

  std::unique_ptr<Database> database;
  // The same database, for long queries.
  std::unique_ptr<Database> read_only_database;
  std::unique_ptr<AuditLog> audit;
  JobCa job_ca;
  TicketSigner ticket_signer;
  std::unique_ptr<ServerIdentity> server_identity;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_STATE_DIRECTORY_H_
