// The title that a program gives its terminal, read out of what it writes:
// ESC ] 0 ; TITLE BEL, or 2 for 0, or ESC \ for BEL (xterm's ctlseqs).
//
// Not thread-safe. Takes the bytes in pieces, wherever they are cut.
#ifndef CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_
#define CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_

#include <string>
#include <string_view>

namespace carme::shell {

class TitleReader {
 public:
  void Read(std::string_view bytes);
  // At most 256 bytes of UTF-8 without controls; empty: none was given.
  const std::string& title() const { return title_; }

 private:
  enum class State { kText, kEscape, kCommand, kCommandEscape };
  void Take(char byte);
  void Finish();

  State state_ = State::kText;
  std::string command_;  // what stands after ESC ]
  std::string title_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_
