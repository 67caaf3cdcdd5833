// carme-files: the files of the user in the browser, as an app of a job; see
// README.md.
//
//   carme-files --socket PATH [--scratch DIR] [--place NAME=DIR]…
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/concurrency/deadlock_detection.h"
#include "common/config/program.h"
#include "common/status.h"
#include "slurm-hooks/files/file_server.h"
#include "slurm-hooks/files/messages.h"
#include "slurm-hooks/web_app/app_socket.h"

namespace carme::files {
namespace {

constexpr int kMaxWaitingConnections = 64;

struct Flags {
  std::string socket;
  std::vector<FilePlace> places;
};

std::optional<Flags> Parse(int argc, char** argv) {
  Flags flags;
  const char* home = getenv("HOME");
  if (home != nullptr && *home == '/') flags.places.push_back({"home", home});
  if (argc % 2 == 0) return std::nullopt;
  for (int at = 1; at < argc; at += 2) {
    const std::string_view flag = argv[at];
    const std::string value = argv[at + 1];
    const size_t equals = value.find('=');
    if (flag == "--socket") {
      flags.socket = value;
    } else if (flag == "--scratch") {
      // Empty on nodes without a scratch directory for jobs.
      if (!value.empty()) flags.places.push_back({"scratch", value});
    } else if (flag == "--place" && equals != value.npos && equals > 0 &&
               value.substr(equals + 1).starts_with('/')) {
      flags.places.push_back(
          {value.substr(0, equals), value.substr(equals + 1)});
    } else {
      return std::nullopt;
    }
  }
  if (flags.socket.empty()) return std::nullopt;
  return flags;
}

absl::StatusOr<bool> Serve(int argc, char** argv) {
  auto flags = Parse(argc, argv);
  if (!flags.has_value()) return MakePlainError(files_messages::kUsage);
  ASSIGN_OR_RETURN(UniqueFd socket, web_app::ListenAppSocket(
                                        flags->socket, kMaxWaitingConnections));
  const mode_t mask = umask(077);
  umask(mask);
  const bool ended =
      RunFileServer(std::move(socket), std::move(flags->places), mask);
  unlink(flags->socket.c_str());
  return ended;
}

}  // namespace
}  // namespace carme::files

int main(int argc, char** argv) {
  carme::DisableDeadlockDetection();
  carme::BlockStopSignals();
  const auto ended = carme::files::Serve(argc, argv);
  if (!ended.ok()) return carme::FailStart(ended.status());
  // Threads that a file system blocks still use what exit() would destroy.
  if (!*ended) _exit(0);
  return 0;
}
