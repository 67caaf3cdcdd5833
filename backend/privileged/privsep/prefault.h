// Faults memory in before a request arrives.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_PREFAULT_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_PREFAULT_H_

namespace carme {

// A forked process shares its pages with its parent until it writes to them,
// and each first access is a page fault. Copies and maps all pages now, so that
// no request waits for these faults. Does nothing where the kernel cannot
// (before Linux 5.14).
void PrefaultMemory();

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_PREFAULT_H_
