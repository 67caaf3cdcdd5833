// The backend's tables. A migration that has been released is never edited;
// append a new one.
#include "backend/store/database.h"

namespace carme {
namespace {

// Times are microseconds since 1970, UTC.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE factors (
  username TEXT NOT NULL,
  kind TEXT NOT NULL,                -- 'totp'
  secret BLOB NOT NULL,
  last_step INTEGER NOT NULL,        -- the newest TOTP step that was used
  created_at INTEGER NOT NULL,
  PRIMARY KEY (username, kind)
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL UNIQUE,   -- SHA-256 of the token
  username TEXT NOT NULL,
  display_name TEXT NOT NULL,
  uid INTEGER NOT NULL,
  role TEXT NOT NULL,
  client_address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER                   -- null: live
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  owner_uid INTEGER NOT NULL,
  idempotency_key TEXT,
  spec BLOB NOT NULL,                -- a serialized carme.v1.JobSpec
  state INTEGER NOT NULL,            -- carme.v1.JobState
  reason TEXT NOT NULL,
  ending INTEGER NOT NULL,           -- carme.v1.JobEnd
  slurm_job_id INTEGER,
  nodes TEXT NOT NULL,               -- comma-separated
  exit_code INTEGER NOT NULL,
  agent_address TEXT NOT NULL,
  agent_port INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ready_at INTEGER,
  ends_at INTEGER,
  ended_at INTEGER                   -- null: lives
) STRICT;
CREATE UNIQUE INDEX jobs_by_key ON jobs (owner, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_by_owner ON jobs (owner, created_at);
CREATE INDEX jobs_live ON jobs (state) WHERE ended_at IS NULL;
)sql";

}  // namespace

const std::vector<std::string_view>& Migrations() {
  static const std::vector<std::string_view> migrations = {kFirst};
  return migrations;
}

}  // namespace carme
