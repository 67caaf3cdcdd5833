// Slurm's constraint expressions, as far as a hook must read them.
#ifndef CARME_SLURM_HOOKS_CONSTRAINT_H_
#define CARME_SLURM_HOOKS_CONSTRAINT_H_

#include <string_view>

namespace carme::hooks {

// Whether `constraints` (sbatch's --constraint: `a&b`, `a|b`, `[a*2&b*1]`,
// `(a|b)&c`) names `feature` as a whole word, wherever in the expression. An
// empty feature is never named.
bool NamesFeature(std::string_view constraints, std::string_view feature);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_CONSTRAINT_H_
