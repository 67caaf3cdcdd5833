#ifndef CARME_BACKEND_JOBS_MODEL_JOB_OWNER_H_
#define CARME_BACKEND_JOBS_MODEL_JOB_OWNER_H_

#include "backend/identity/session.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// Name and uid must both match: a name may be given to another account later.
inline bool IsOwner(const Session& caller, const Job& job) {
  return job.owner == caller.username && job.owner_uid == caller.uid;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOB_OWNER_H_
