#include "backend/wiring/state_directory.h"

#include <string>
#include <utility>

#include "backend/store/state_lock.h"
#include "common/status.h"

namespace carme::backend {

absl::StatusOr<std::unique_ptr<StateDirectory>> StateDirectory::Open(
    const BackendConfig& config, const Clock* clock) {
  const std::string& path = config.state_directory;
  RETURN_IF_ERROR(CheckStateComplete(path));
  const std::string database_path = path + "/carme.db";
  ASSIGN_OR_RETURN(auto database, Database::Open(database_path, Migrations()));
  ASSIGN_OR_RETURN(auto read_only_database,
                   Database::OpenReadOnly(database_path));
  ASSIGN_OR_RETURN(auto audit, AuditLog::Open(database.get(), clock));
  ASSIGN_OR_RETURN(JobCa job_ca,
                   JobCa::Open(path + "/job_ca.pem", clock->Now()));
  ASSIGN_OR_RETURN(TicketSigner ticket_signer,
                   TicketSigner::Open(path + "/ticket_seed"));
  ASSIGN_OR_RETURN(auto server_identity,
                   ServerIdentity::Open(config.tls, path));
  return std::unique_ptr<StateDirectory>(
      new StateDirectory{.database = std::move(database),
                         .read_only_database = std::move(read_only_database),
                         .audit = std::move(audit),
                         .job_ca = std::move(job_ca),
                         .ticket_signer = std::move(ticket_signer),
                         .server_identity = std::move(server_identity)});
}

}  // namespace carme::backend
