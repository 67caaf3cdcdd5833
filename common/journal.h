// Lines of the log as entries of systemd-journald with fields, in journald's
// native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/). libsystemd is
// not used: the hooks are static programs.
#ifndef CARME_COMMON_JOURNAL_H_
#define CARME_COMMON_JOURNAL_H_

#include <string>
#include <string_view>

namespace carme {

inline constexpr char kJournalSocket[] = "/run/systemd/journal/socket";

// Builds one entry. Values cannot begin another field: control characters are
// replaced, and names begin with "CARME_", except those that journald defines.
class JournalEntry {
 public:
  // `priority`: of syslog(3).
  JournalEntry(int priority, std::string_view message);
  // The field CARME_<KEY>; `request` and `job` become CARME_REQUEST_ID and
  // CARME_JOB_ID. Dropped: a key that cannot be a name, and what exceeds 32
  // fields. A value is cut to 4 KiB.
  void Add(std::string_view key, std::string_view value);
  const std::string& data() const { return data_; }

 private:
  void Append(std::string_view name, std::string_view value);
  std::string data_;
  int fields_ = 0;
};

// Whether `fd` is the stream that $JOURNAL_STREAM, "<device>:<inode>", names.
bool IsJournalStream(int fd, std::string_view journal_stream);

// Opens a socket for SendToJournal if the standard error stream is the
// journal's. Call it at the start of a program, before it starts threads or
// closes the door to new sockets; children inherit it.
void OpenJournal();

// Sends without waiting. False: OpenJournal() has found no journal, the
// standard error stream or the socket is not the same any more, as in a child
// that closed it, or journald does not accept it now. Thread-safe; calls only
// fstat(2) and sendto(2).
bool SendToJournal(const JournalEntry& entry,
                   const char* address = kJournalSocket);

}  // namespace carme

#endif  // CARME_COMMON_JOURNAL_H_
