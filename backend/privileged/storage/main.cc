// carme-storage-reader: reads the usage of users' storage as these users, for
// the backend. See README.md.
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "backend/privileged/authz/shared_rate_limiter.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/privsep/capabilities.h"
#include "backend/privileged/privsep/listening_socket.h"
#include "backend/privileged/server/fork_server.h"
#include "backend/privileged/storage/config.h"
#include "backend/privileged/storage/connection.h"
#include "backend/privileged/storage/executor.h"
#include "backend/privileged/storage/messages.h"
#include "backend/privileged/storage/seccomp_filters.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::storage_reader {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(10);
constexpr int kUserShare = 4;  // one user gets at most a quarter

// Does once what every process would otherwise repeat after its fork: loads the
// NSS modules, silences protobuf's log and builds protobuf's descriptors.
// Results are ignored. Blocks as long as NSS blocks; connections wait in the
// socket's queue.
void WarmUp(const StorageReaderConfig& config) {
  // protobuf would log invalid bytes on its own.
  google::protobuf::SetLogHandler(nullptr);
  // A user that does not exist, so that every source of nsswitch.conf is
  // loaded.
  LookUpAccount("carme-nobody", config.policy.allowed_group).IgnoreError();
  privileged::v1::StorageRequest request;
  request.set_user("x");
  ParseStorageRequest(request.SerializeAsString()).IgnoreError();
  MakeStorageResponse(privileged::v1::OUTCOME_OK, "").SerializeAsString();
}

absl::Status Serve(const StorageReaderConfig& config) {
  if (geteuid() != 0) {
    return MakePlainError(storage_reader_messages::kNotRoot,
                          {{"uid", geteuid()}});
  }
  ASSIGN_OR_RETURN(const PeerUser peer, LookUpPeer(config.peer_user));
  BlockStopSignals();
  ASSIGN_OR_RETURN(UniqueFd socket, InheritOrListen(config.socket, peer.gid));
  ASSIGN_OR_RETURN(const StorageReaderFilters filters,
                   MakeStorageReaderFilters());
  ASSIGN_OR_RETURN(const std::unique_ptr<SharedRateLimiter> limiter,
                   SharedRateLimiter::Create(
                       std::max(1, config.readings_per_minute / kUserShare),
                       config.readings_per_minute));
  RETURN_IF_ERROR(DropCapabilities());
  WarmUp(config);
  LogInfo("serving", {{"peer_user", config.peer_user},
                      {"min_uid", config.policy.min_uid},
                      {"allowed_group", config.policy.allowed_group},
                      {"areas", config.storage.areas.size()}});
  const RequestOptions options{.config = &config,
                               .filters = &filters,
                               .limiter = limiter.get(),
                               .peer_uid = peer.uid};
  ForkServer server({.fork_time = ForkServer::ForkTime::kOnConnection,
                     .max_processes = config.max_readings,
                     .drain_timeout = ReadingTimeout(config) + kDrainGrace,
                     .run_process =
                         [&](const ForkedProcess& process) {
                           RunRequestProcess(process, options);
                         }},
                    std::move(socket));
  RETURN_IF_ERROR(server.Run());
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::storage_reader

int main(int argc, char** argv) {
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/storage-reader.toml",
                        "Reads the usage of users' storage, for "
                        "carme-backend.");
  const absl::StatusOr<carme::storage_reader::StorageReaderConfig> config =
      carme::storage_reader::LoadStorageReaderConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  const absl::Status served = carme::storage_reader::Serve(*config);
  return served.ok() ? 0 : carme::FailStart(served);
}
