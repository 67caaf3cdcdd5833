// An exit code of carme-hook-report for the program that starts it.
#ifndef CARME_SLURM_HOOKS_HOOK_REPORT_EXIT_CODE_H_
#define CARME_SLURM_HOOKS_HOOK_REPORT_EXIT_CODE_H_

namespace carme::hook_report {

// Of --vet-requested: the backend asks for no run.
inline constexpr int kVetNotRequested = 10;

}  // namespace carme::hook_report

#endif  // CARME_SLURM_HOOKS_HOOK_REPORT_EXIT_CODE_H_
