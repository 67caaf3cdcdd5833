// People at work in the private cluster, as the tests of --environment see
// them.
#ifndef CARME_TESTS_SLURM_HOOKS_SPANK_USER_SHELL_H_
#define CARME_TESTS_SLURM_HOOKS_SPANK_USER_SHELL_H_

#include <string>

namespace carme {

struct Ran {
  int code = -1;
  std::string text;  // both streams
};

// In the user's home, with next to no variables. The script has no "'".
Ran AsUser(const std::string& user, const std::string& script);
Ran AsAda(const std::string& script);

// As one word of such a script, which no shell on the way changes.
std::string InQuotes(const std::string& script);

// The same; its errors are in the order of its output, which srun does not
// keep, and it always succeeds, because srun would say so in the middle of it.
std::string InOneStream(const std::string& script);

// As root, for what a site's administrator does.
Ran AsRoot(const std::string& script);

bool Contains(const std::string& text, const std::string& part);

// No refusal may look like a broken node.
void CheckNodesStayUp();

// ~ada/job.toml
void WriteJob(const std::string& text);

// Makes, once, an image with a shell and a few tools of this machine, beside
// things that no image should have: a program with the set-user-id bit and a
// device. Returns its path; nodes trust it.
const std::string& SmallImage();

// The same tree unpacked, a directory that is ada's.
const std::string& SmallDirectory();

}  // namespace carme

#endif  // CARME_TESTS_SLURM_HOOKS_SPANK_USER_SHELL_H_
