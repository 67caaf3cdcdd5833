// Memory of one's own, before it is needed in a hurry.
#ifndef CARME_BACKEND_PRIVILEGED_OWN_PAGES_H_
#define CARME_BACKEND_PRIVILEGED_OWN_PAGES_H_

namespace carme::impersonator {

// A fresh child shares its pages with its parent until it writes to them, and
// finds its libraries' pages one fault after the other; during an act these
// faults are time that somebody waits for. Copies and maps them all now. Where
// the kernel cannot (before Linux 5.14), nothing happens.
void TakeOwnPages();

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_OWN_PAGES_H_
