// A real carme-files on a unix socket, and a client of it.
#ifndef CARME_TESTS_SLURM_HOOKS_FILES_FILES_APP_H_
#define CARME_TESTS_SLURM_HOOKS_FILES_FILES_APP_H_

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slurm-hooks/child_process/child_process.h"
#include "tests/support/temp_dir.h"

namespace carme::files {

class FilesApp {
 public:
  using Response =
      boost::beast::http::response<boost::beast::http::string_body>;
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // Waits until it responds. $HOME is home().
  FilesApp();
  ~FilesApp();

  const std::string& home() const { return home_.path(); }
  std::string HomeFile(const std::string& name) const {
    return home_.File(name);
  }
  std::string socket() const { return directory_.File("app.sock"); }

  // Sends the headers, also Origin unless `headers` has one.
  Response Request(const std::string& method, const std::string& target,
                   const std::string& body = "",
                   const Headers& headers = {}) const;
  Response Get(const std::string& target, const Headers& headers = {}) const {
    return Request("GET", target, "", headers);
  }
  // The bytes as they are; returns what comes back until the app closes the
  // connection.
  std::string Exchange(const std::string& bytes) const;
  // Waits until no task runs, and returns the tasks.
  std::string AwaitTasks() const;

  void Terminate();
  std::optional<node::ProcessEnd> AwaitEnd();

 private:
  TempDir directory_;
  TempDir home_;
  std::optional<node::ChildProcess> process_;
};

}  // namespace carme::files

#endif  // CARME_TESTS_SLURM_HOOKS_FILES_FILES_APP_H_
