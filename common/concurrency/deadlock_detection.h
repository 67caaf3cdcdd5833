#ifndef CARME_COMMON_CONCURRENCY_DEADLOCK_DETECTION_H_
#define CARME_COMMON_CONCURRENCY_DEADLOCK_DETECTION_H_

namespace carme {

// Call it at the start of a program. Abseil, as Debian builds it, ends a
// program that takes two mutexes in both orders. It knows them by their
// addresses, and from Debian 13 on it is not told when a mutex of a program
// that was compiled with NDEBUG is destroyed. So a new mutex at an old address
// would end a program that has no deadlock.
void DisableDeadlockDetection();

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_DEADLOCK_DETECTION_H_
