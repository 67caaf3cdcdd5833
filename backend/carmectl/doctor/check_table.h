// All checks of `carmectl doctor`, in the order in which they run: what others
// depend on comes first.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CHECK_TABLE_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CHECK_TABLE_H_

#include <memory>
#include <vector>

#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {

const std::vector<std::unique_ptr<Check>>& AllChecks();

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CHECK_TABLE_H_
