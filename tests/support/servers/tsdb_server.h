// A real time-series database of a test's own.
#ifndef CARME_TESTS_SUPPORT_SERVERS_TSDB_SERVER_H_
#define CARME_TESTS_SUPPORT_SERVERS_TSDB_SERVER_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/held_port.h"
#include "tests/support/temp_dir.h"

namespace carme {

class TsdbServer {
 public:
  enum class Kind { kVictoriaMetrics, kPrometheus };

  // Starts and waits until it answers; throws when it does not. `arguments`
  // are added to its command line.
  explicit TsdbServer(Kind kind, std::vector<std::string> arguments = {});
  ~TsdbServer();
  TsdbServer(const TsdbServer&) = delete;
  TsdbServer& operator=(const TsdbServer&) = delete;

  // Both are without effect if it is stopped or runs already.
  void Stop();
  void Start();  // on the same port, with the same data
  std::string url() const;
  pid_t pid() const { return pid_; }
  // What `GET path` returns; empty: not 200. VictoriaMetrics shows samples to
  // queries after a second: waits until the text contains `part`.
  std::string Get(const std::string& path, const std::string& part = "") const;

 private:
  std::vector<std::string> CommandLine() const;

  const Kind kind_;
  const std::vector<std::string> arguments_;
  TempDir dir_;
  const testing::HeldPort port_;
  pid_t pid_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_TSDB_SERVER_H_
