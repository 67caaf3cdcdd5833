#include "common/journal.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

// What journald would receive.
class JournalSocket {
 public:
  explicit JournalSocket(std::string path)
      : path_(std::move(path)),
        fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address) == 0);
  }
  const char* path() const { return path_.c_str(); }
  // Empty: nothing arrived.
  std::string Receive() const {
    char data[65536];
    const ssize_t length = recv(fd_.get(), data, sizeof data, 0);
    return length < 0 ? "" : std::string(data, static_cast<size_t>(length));
  }

 private:
  const std::string path_;
  const UniqueFd fd_;
};

// The standard error stream is a socket that JOURNAL_STREAM names.
class StderrToJournal {
 public:
  StderrToJournal() : saved_(dup(STDERR_FILENO)) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    read_.reset(ends[0]);
    write_.reset(ends[1]);
    struct stat info {};
    REQUIRE(fstat(write_.get(), &info) == 0);
    setenv("JOURNAL_STREAM",
           absl::StrCat(info.st_dev, ":", info.st_ino).c_str(), 1);
    Attach();
  }
  ~StderrToJournal() {
    Detach();
    unsetenv("JOURNAL_STREAM");
  }
  void Attach() const { dup2(write_.get(), STDERR_FILENO); }
  void Detach() const { dup2(saved_.get(), STDERR_FILENO); }
  std::string Receive() const {
    char data[65536];
    const ssize_t length = recv(read_.get(), data, sizeof data, 0);
    return length < 0 ? "" : std::string(data, static_cast<size_t>(length));
  }

 private:
  const UniqueFd saved_;
  UniqueFd read_, write_;
};

TEST_CASE("journal: a value cannot begin another field", "[common]") {
  JournalEntry entry(3, "error x\nPRIORITY=0");
  entry.Add("user", "ada\n_UID=0\nMESSAGE=forged");
  entry.Add("error", std::string("a\0b", 3));
  CHECK_THAT(entry.data(), Catch::StartsWith("MESSAGE=error x?PRIORITY=0\n"
                                             "PRIORITY=3\nSYSLOG_IDENTIFIER="));
  CHECK_THAT(entry.data(),
             Catch::EndsWith("\nCARME_USER=ada?_UID=0?MESSAGE=forged\n"
                             "CARME_ERROR=a?b\n"));
}

TEST_CASE("journal: a key cannot be another name", "[common]") {
  JournalEntry entry(6, "info x");
  const size_t before = entry.data().size();
  entry.Add("", "1");
  entry.Add(std::string(80, 'k'), "1");
  CHECK(entry.data().size() == before);
  entry.Add("a=b\n_c", "1");
  CHECK_THAT(entry.data(), Catch::EndsWith("\nCARME_A_B__C=1\n"));
}

TEST_CASE("journal: fields are bounded in number and length", "[common]") {
  JournalEntry entry(6, "info x");
  for (int i = 0; i < 100; ++i) entry.Add("k", std::string(10000, 'v'));
  CHECK(entry.data().size() < 33 * 5000);
}

TEST_CASE("journal: request, job and user have their names", "[common]") {
  JournalEntry entry(6, "info x");
  entry.Add("request", "r-1");
  entry.Add("job", "k1");
  entry.Add("slurm_job", "7");
  CHECK_THAT(entry.data(),
             Catch::EndsWith("\nCARME_REQUEST_ID=r-1\nCARME_JOB_ID=k1\n"
                             "CARME_SLURM_JOB=7\n"));
}

TEST_CASE("journal: only the stream that the variable names is the journal's",
          "[common]") {
  struct stat info {};
  REQUIRE(fstat(STDERR_FILENO, &info) == 0);
  const std::string own = absl::StrCat(info.st_dev, ":", info.st_ino);
  CHECK(IsJournalStream(STDERR_FILENO, own));
  CHECK_FALSE(IsJournalStream(STDERR_FILENO, absl::StrCat(own, "0")));
  CHECK_FALSE(IsJournalStream(STDERR_FILENO, ""));
  CHECK_FALSE(IsJournalStream(-1, own));
}

TEST_CASE("journal: entries are sent while stderr is the journal's",
          "[common]") {
  const TempDir dir;
  const JournalSocket journal(dir.File("journal"));
  const JournalEntry entry(6, "info x");
  CHECK_FALSE(SendToJournal(entry, journal.path()));
  const StderrToJournal stream;
  OpenJournal();
  const bool sent = SendToJournal(entry, journal.path());
  const bool sent_nowhere = SendToJournal(entry, dir.File("missing").c_str());
  stream.Detach();
  const bool sent_after = SendToJournal(entry, journal.path());
  CHECK(sent);
  CHECK_FALSE(sent_nowhere);
  CHECK_FALSE(sent_after);
  CHECK(journal.Receive() == entry.data());
  CHECK(journal.Receive().empty());
}

}  // namespace
}  // namespace carme
