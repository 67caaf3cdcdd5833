// Memory for what libslurm reads.
#ifndef CARME_BACKEND_SLURM_ANSWER_MEMORY_H_
#define CARME_BACKEND_SLURM_ANSWER_MEMORY_H_

#include <cstddef>

namespace carme {

// While one lives, small pieces that its thread gets from malloc() and calloc()
// are cut from blocks, one after the other. An answer about tens of thousands
// of jobs is more than a million pieces, which come and go together: glibc
// takes a third of the time that reading such an answer costs, this a tenth.
//
//   1. A piece may outlive it, and be given back by any thread. A block is used
//      again once all its pieces are back; blocks are kept for that.
//   2. It is for the first thread that ever made one. To any other one, while
//      blocks stay in use that should be free (something leaks), and where
//      sanitizers watch the memory, it means nothing: glibc gives the memory.
//   3. A piece that is given back twice ends the process, as with glibc; a
//      forked process has its own copy of all of it. malloc_usable_size() says
//      nothing useful about a piece.
class AnswerMemory {
 public:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kIsThere = false;
#else
  static constexpr bool kIsThere = true;
#endif

  AnswerMemory();
  ~AnswerMemory();
  AnswerMemory(const AnswerMemory&) = delete;
  AnswerMemory& operator=(const AnswerMemory&) = delete;

  // Of the blocks that were cut, those with pieces that are not back.
  // REQUIRES of both: called on the thread that it is for, outside of one; on
  // any other one they tell and do nothing.
  static size_t BlocksInUse();
  // What is free goes back to the system.
  static void GiveBackFree();
};

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_ANSWER_MEMORY_H_
