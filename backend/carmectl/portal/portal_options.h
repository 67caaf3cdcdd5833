// The common options, client and output of all commands that call the portal.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_PORTAL_OPTIONS_H_
#define CARME_BACKEND_CARMECTL_PORTAL_PORTAL_OPTIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/portal/portal_client.h"

namespace CLI {
class App;
}
namespace google::protobuf {
class Duration;
class Timestamp;
}  // namespace google::protobuf

namespace carme::carmectl {

struct PortalOptions {
  std::string portal;
  std::string token_file;
  std::string ca_file;
  std::string cluster;
  bool json = false;
};

// Adds a noun, "carmectl job", with the common options, which may also follow
// the verb. `examples` is printed below the help.
CLI::App* AddNoun(CLI::App* app, const char* name, const char* about,
                  const char* examples, PortalOptions* options);

// Adds a verb to a noun. `run` is called with a client after parsing; `options`
// must outlive it.
using PortalCommand = std::function<absl::Status(PortalClient&)>;
CLI::App* AddVerb(CLI::App* noun, const char* name, const char* about,
                  const PortalOptions* options,
                  std::function<absl::Status()>* chosen, PortalCommand run,
                  int retries = 0);

// Reads the token from --token-file, CARME_TOKEN_FILE or CARME_TOKEN, in this
// order. It is never an argument, which every user of the host could read.
absl::StatusOr<std::unique_ptr<PortalClient>> Connect(
    const PortalOptions& options, int retries = 0);

// Rows of a table; the first row is the heading.
using TableRows = std::vector<std::vector<std::string>>;

// Prints the response as JSON, all fields included, or the table.
absl::Status Print(const PortalOptions& options,
                   const google::protobuf::Message& response,
                   const TableRows& rows);
// Formats columns; replaces control characters.
std::string FormatTable(const TableRows& rows);
absl::StatusOr<std::string> FormatJson(
    const google::protobuf::Message& message);

// "2026-11-23 08:00" in UTC; "-": absent.
std::string TimeText(const google::protobuf::Timestamp& time);
// "1d 02:30"; "-": absent.
std::string DurationText(const google::protobuf::Duration& duration);
// "90", "90m", "2h", "1d", "1h30m": a number alone is minutes.
// INVALID_ARGUMENT.
absl::StatusOr<absl::Duration> ParseDuration(const std::string& text);
// "2026-12-31", the end of that day in UTC, or "2026-12-31T12:00:00Z".
// INVALID_ARGUMENT.
absl::StatusOr<absl::Time> ParseDay(const std::string& text);
// A time as ParseDay(), or a duration from `now`: "4h". INVALID_ARGUMENT.
absl::StatusOr<absl::Time> ParseMoment(const std::string& text, absl::Time now);
void SetTime(absl::Time time, google::protobuf::Timestamp* message);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_PORTAL_OPTIONS_H_
