// The names that forms of administrators offer. Pure functions.
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_CHOICES_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_CHOICES_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/slurm/snapshot.h"
#include "carme/v1/choice.pb.h"

namespace carme::backend {

struct ChoiceName {
  std::string value{};
  std::string label{};  // may be empty
  friend bool operator==(const ChoiceName&, const ChoiceName&) = default;
};

struct ChoiceList {
  std::vector<ChoiceName> names{};
  bool more = false;
  // Whether a name that is not found does not exist.
  bool complete = false;
};

// All names of a kind of Slurm's, sorted. Empty and not complete: Slurm has not
// responded, has no accounting, or hides it.
ChoiceList ChoicesOfSlurm(const SlurmSnapshot& cluster, v1::ChoiceKind kind);

// At most `max` names of which value or label contains the text, ignoring
// case; first the one whose value is the text.
ChoiceList Matching(const ChoiceList& all, std::string_view text, size_t max);

// Moves the name whose value is the text, ignoring case, to the front. False:
// there is none.
bool MoveToFront(std::string_view text, std::vector<ChoiceName>* names);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_CHOICES_H_
