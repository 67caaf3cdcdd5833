// The backend's tables. A migration that has been released is never edited;
// append a new one.
#include "backend/store/database.h"

namespace carme::backend {
namespace {

// Times are microseconds since 1970, UTC.
constexpr std::string_view kFirst = R"sql(
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
  reauthenticated_until INTEGER NOT NULL,
  last_address TEXT NOT NULL,
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
  apps BLOB NOT NULL,                -- a serialized carme.v1.Job with its apps
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

-- Accounts are their POSIX uid: a name may change, and be given to another.
CREATE TABLE users (
  uid INTEGER PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,     -- at the last log-in
  display_name TEXT NOT NULL,
  role TEXT NOT NULL,                -- at the last log-in
  handle BLOB NOT NULL UNIQUE,       -- 16 random bytes: WebAuthn's user.id
  first_login INTEGER NOT NULL,
  last_login INTEGER NOT NULL
) STRICT;

CREATE TABLE second_factors (
  id TEXT PRIMARY KEY,               -- public
  uid INTEGER NOT NULL,
  kind TEXT NOT NULL,                -- 'totp', 'passkey'
  name TEXT NOT NULL,
  secret BLOB NOT NULL,              -- TOTP: the secret; passkey: its public key
  algorithm INTEGER NOT NULL,        -- passkey: COSE; TOTP: 0
  credential_id BLOB UNIQUE,         -- passkey
  counter INTEGER NOT NULL,          -- TOTP: newest step used; passkey: sign count
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX second_factors_by_uid ON second_factors (uid);

CREATE TABLE recovery_codes (
  uid INTEGER NOT NULL,
  hash BLOB NOT NULL,
  used_at INTEGER,                   -- null: still good
  PRIMARY KEY (uid, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  dismissed_at INTEGER
) STRICT;
CREATE INDEX notices_by_uid ON notices (uid) WHERE dismissed_at IS NULL;

CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,               -- public
  hash BLOB NOT NULL UNIQUE,         -- SHA-256 of the secret
  uid INTEGER NOT NULL,
  username TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,              -- with a space between
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_from TEXT NOT NULL,
  revoked_at INTEGER,                -- null: live
  suspended_at INTEGER               -- null: its owner may use it
) STRICT;
CREATE INDEX access_tokens_by_uid ON access_tokens (uid);

CREATE TABLE failures (
  kind TEXT NOT NULL,                -- a table of throttle.h
  key TEXT NOT NULL,
  failures INTEGER NOT NULL,
  last INTEGER NOT NULL,
  opens_at INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,      -- from 1, without a gap
  at INTEGER NOT NULL,
  act TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_uid INTEGER NOT NULL,
  subject TEXT NOT NULL,
  decision TEXT NOT NULL,
  result TEXT NOT NULL,
  source TEXT NOT NULL,
  machine TEXT NOT NULL,
  request_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_actor ON audit (actor, sequence);
CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_grows BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

// Archived entries may be deleted, up to the newest row, whose hash continues
// the chain.
constexpr std::string_view kAuditArchives = R"sql(
CREATE TABLE audit_archives (
  upto INTEGER PRIMARY KEY,          -- the last entry that went
  hash BLOB NOT NULL,                -- that entry's
  file TEXT NOT NULL,                -- its name, without folders
  at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_archives_are_real BEFORE INSERT ON audit_archives
  WHEN NOT EXISTS (SELECT 1 FROM audit
                   WHERE sequence = NEW.upto AND hash = NEW.hash)
  BEGIN SELECT RAISE(ABORT, 'no such audit entry'); END;
CREATE TRIGGER audit_archives_keep BEFORE UPDATE ON audit_archives
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_archives_grow BEFORE DELETE ON audit_archives
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
DROP INDEX audit_by_time;            -- entries are read in their order
DROP TRIGGER audit_grows;
CREATE TRIGGER audit_grows BEFORE DELETE ON audit
  WHEN OLD.sequence > (SELECT coalesce(max(upto), 0) FROM audit_archives)
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

constexpr std::string_view kImages = R"sql(
CREATE TABLE images (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,               -- a username; empty: the site
  owner_uid INTEGER,                 -- null: the site
  state INTEGER NOT NULL,            -- carme.v1.ImageState
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,       -- 0: not known
  settings BLOB NOT NULL,            -- a serialized carme.v1.ImageSettings
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX images_by_owner ON images (owner_uid);
)sql";

// Users' images.
constexpr std::string_view kOwnImages = R"sql(
ALTER TABLE images ADD COLUMN
  source INTEGER NOT NULL DEFAULT 0;        -- carme.v1.ImageSource; 0: the site
ALTER TABLE images ADD COLUMN
  source_path TEXT NOT NULL DEFAULT '';
ALTER TABLE images ADD COLUMN
  build_job TEXT NOT NULL DEFAULT '';       -- the job that makes it
ALTER TABLE images ADD COLUMN
  problem TEXT NOT NULL DEFAULT '';
ALTER TABLE images ADD COLUMN
  held INTEGER NOT NULL DEFAULT 0;          -- 1: withdrawn by an administrator
ALTER TABLE images ADD COLUMN
  shares BLOB NOT NULL DEFAULT x'';         -- a serialized carme.v1.Image's
)sql";

// Users' environment definition files, and the rendered environments of jobs.
constexpr std::string_view kEnvironments = R"sql(
CREATE TABLE environments (
  uid INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  revision INTEGER NOT NULL,         -- of the one user: grows with each change
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (uid, name)
) STRICT;
CREATE TABLE job_environments (
  job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  rendered TEXT NOT NULL,
  image TEXT NOT NULL,               -- an id of the catalogue; empty: another
  image_sha256 TEXT NOT NULL         -- empty: not known
) STRICT;
)sql";

// Project members, invitations and requests.
constexpr std::string_view kProjects = R"sql(
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  classification TEXT NOT NULL,
  takes_requests INTEGER NOT NULL,
  state INTEGER NOT NULL,            -- carme.v1.ProjectState
  created_at INTEGER NOT NULL,
  expires_at INTEGER,                -- null: never
  account TEXT NOT NULL,             -- Slurm's; empty: each user's own
  announced_days INTEGER NOT NULL,   -- before the end, the last time; 0: not yet
  closed_at INTEGER                  -- null: it is not
) STRICT;
CREATE TABLE project_members (
  project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  uid INTEGER NOT NULL,
  username TEXT NOT NULL,            -- as it was when they came
  display_name TEXT NOT NULL,
  role INTEGER NOT NULL,             -- carme.v1.ProjectRole
  since INTEGER NOT NULL,
  approved_by TEXT NOT NULL,         -- a manager's name; empty: not yet
  confirmed_by TEXT NOT NULL,        -- an administrator's; empty: not yet
  PRIMARY KEY (project, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_members_by_uid ON project_members (uid);
CREATE UNIQUE INDEX project_owners ON project_members (project)
  WHERE role = 6;
)sql";

// Templates and presets.
constexpr std::string_view kTemplates = R"sql(
CREATE TABLE templates (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings BLOB NOT NULL,            -- a serialized carme.v1.TemplateSettings
  retired INTEGER NOT NULL,
  everybody INTEGER NOT NULL,        -- 1: who has no project may use it
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE template_projects (
  project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  template TEXT NOT NULL REFERENCES templates (id) ON DELETE CASCADE,
  PRIMARY KEY (project, template)
) STRICT, WITHOUT ROWID;
CREATE INDEX template_projects_by_template ON template_projects (template);
CREATE TABLE presets (
  uid INTEGER NOT NULL,
  name TEXT NOT NULL,
  spec BLOB NOT NULL,                -- a serialized carme.v1.JobSpec
  PRIMARY KEY (uid, name)
) STRICT, WITHOUT ROWID;
)sql";

// Users' reservations.
constexpr std::string_view kReservations = R"sql(
CREATE TABLE reservations (
  id TEXT PRIMARY KEY,               -- Slurm's name is "carme-" and this
  owner TEXT NOT NULL,
  owner_uid INTEGER NOT NULL,
  title TEXT NOT NULL,
  project TEXT NOT NULL,             -- empty: for the owner alone
  partition TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,        -- seconds, as ends_at
  ends_at INTEGER NOT NULL,
  state INTEGER NOT NULL,            -- carme.v1.ReservationState
  changed_at INTEGER NOT NULL,       -- the state
  key TEXT,                          -- the client's; null: none
  UNIQUE (owner_uid, key)
) STRICT;
)sql";

// Limits that administrators set, and the usage that counts: every active job,
// and a sum a day of ended jobs, so that deleting a job does not change the
// usage.
constexpr std::string_view kQuotas = R"sql(
CREATE TABLE quota_rules (
  scope INTEGER NOT NULL,            -- carme.v1.LimitScope
  name TEXT NOT NULL,                -- a role or a group; else empty
  project TEXT NOT NULL,             -- its id; else empty
  uid INTEGER NOT NULL,              -- of a user; -1: none, or each
  username TEXT NOT NULL,            -- as it was when the rule was made
  metric INTEGER NOT NULL,           -- carme.v1.LimitMetric
  most INTEGER,                      -- null: no limit
  note TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  expires_at INTEGER,                -- null: never
  PRIMARY KEY (scope, name, project, uid, metric)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_usage (
  job TEXT PRIMARY KEY,
  uid INTEGER NOT NULL,
  project TEXT NOT NULL,             -- empty: none
  tasks INTEGER NOT NULL,
  at_once INTEGER NOT NULL,          -- of the tasks
  gpus INTEGER NOT NULL,             -- of one task
  nodes INTEGER NOT NULL,            -- of one task
  walltime INTEGER NOT NULL,
  day INTEGER NOT NULL,              -- of UTC since 1970: when it was made
  started_at INTEGER,
  ends_at INTEGER,
  promised_until INTEGER             -- by an extension that Slurm may have
) STRICT, WITHOUT ROWID;
CREATE INDEX live_usage_by_uid ON live_usage (uid);
CREATE INDEX live_usage_by_project ON live_usage (project)
  WHERE project <> '';
CREATE TABLE usage_days (
  uid INTEGER NOT NULL,              -- -1: all who are in the project
  project TEXT NOT NULL,             -- empty: in none
  day INTEGER NOT NULL,              -- of UTC since 1970; 0: all that are old
  jobs INTEGER NOT NULL,             -- made on that day
  gpu_time INTEGER NOT NULL,         -- of jobs that have ended
  PRIMARY KEY (uid, project, day)
) STRICT, WITHOUT ROWID;
)sql";

// Notifications. Copies the notifications of the earlier table.
constexpr std::string_view kNotifications = R"sql(
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- one that was forgotten is not reused
  uid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL,             -- carme.v1.NotificationKind
  subject TEXT NOT NULL,             -- a job's or project's id; may be empty
  text TEXT NOT NULL,
  key TEXT,                          -- null: may be repeated
  read_at INTEGER                    -- null: not yet
) STRICT;
INSERT INTO events (id, uid, at, kind, subject, text, read_at)
  SELECT id, uid, at, 23, '', text, dismissed_at FROM notices;
DROP TABLE notices;
CREATE INDEX events_by_uid ON events (uid, id);
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_unread ON events (uid) WHERE read_at IS NULL;
CREATE UNIQUE INDEX events_by_key ON events (uid, key) WHERE key IS NOT NULL;
CREATE TABLE notify_offers (
  channel INTEGER PRIMARY KEY        -- carme.v1.Channel, that the site offers
) STRICT;
CREATE TABLE notify_choices (
  uid INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  kinds INTEGER NOT NULL,            -- a bit for each NotificationKind
  PRIMARY KEY (uid, channel)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhooks (
  uid INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  failures INTEGER NOT NULL,         -- given up in a row
  paused_at INTEGER                  -- null: it is not
) STRICT;
CREATE TABLE deliveries (
  event INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  channel INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  urgent INTEGER NOT NULL,
  state INTEGER NOT NULL,            -- carme.v1.DeliveryState
  message INTEGER,                    -- the first event sent with it; null: none
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,          -- not before, while it waits
  begun_at INTEGER,                  -- the last attempt
  done_at INTEGER,                   -- sent, or given up
  problem TEXT NOT NULL,
  PRIMARY KEY (event, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (channel, next_at) WHERE state = 1;
CREATE INDEX deliveries_done ON deliveries (channel, state, done_at);
CREATE INDEX deliveries_by_uid ON deliveries (uid, channel, begun_at);
CREATE INDEX deliveries_by_message ON deliveries (message, channel);
)sql";

// The history of jobs, and the utilization of the cluster.
constexpr std::string_view kHistory = R"sql(
CREATE TABLE history (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  owner_uid INTEGER NOT NULL,
  project TEXT NOT NULL,             -- its id; empty: none
  name TEXT NOT NULL,
  spec BLOB NOT NULL,                -- a serialized carme.v1.JobSpec
  ending INTEGER NOT NULL,           -- carme.v1.JobEnd
  reason TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  slurm_job_id INTEGER NOT NULL,     -- 0: Slurm never had it
  nodes TEXT NOT NULL,               -- comma-separated
  gpu_type TEXT NOT NULL,            -- comma-separated; empty: none, not known
  gpus INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,                -- null: it never ran
  ended_at INTEGER NOT NULL,
  gpu_seconds INTEGER NOT NULL,
  cpu_seconds INTEGER NOT NULL,
  account TEXT NOT NULL,             -- Slurm's; empty: not known
  accounted_at INTEGER,              -- null: the figures are Carme's own
  looked_at INTEGER                  -- when slurmdbd did not know it yet
) STRICT;
CREATE INDEX history_by_owner ON history (owner_uid, ended_at, id);
CREATE INDEX history_by_project ON history (project, ended_at, id)
  WHERE project <> '';
CREATE INDEX history_by_end ON history (ended_at, id);
CREATE INDEX history_unaccounted ON history (ended_at)
  WHERE accounted_at IS NULL;

-- Sums over what was seen of a step.
CREATE TABLE cluster_use (
  step_s INTEGER NOT NULL,
  gpu_type TEXT NOT NULL,            -- empty: CPUs
  at INTEGER NOT NULL,               -- the step's begin, in seconds since 1970
  seen_s INTEGER NOT NULL,
  used INTEGER NOT NULL,             -- GPUs times seconds
  total INTEGER NOT NULL,
  down INTEGER NOT NULL,
  PRIMARY KEY (step_s, gpu_type, at)
) STRICT, WITHOUT ROWID;
)sql";

// The states of an array's tasks; empty: not an array.
constexpr std::string_view kTasks = R"sql(
ALTER TABLE jobs ADD COLUMN tasks TEXT NOT NULL DEFAULT '';
)sql";

// Extensions of running jobs, recorded before the request to Slurm.
constexpr std::string_view kExtensions = R"sql(
CREATE TABLE job_extensions (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  key TEXT,                          -- the client's; null: none
  from_min INTEGER NOT NULL,         -- the whole walltime
  to_min INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  done INTEGER NOT NULL,             -- 0: it is not known whether Slurm did it
  UNIQUE (job, key)
) STRICT;
CREATE INDEX job_extensions_open ON job_extensions (job) WHERE done = 0;
)sql";

// A message has its own time, because its first event may be deleted. A webhook
// belongs to a user name, because a uid may be reassigned.
constexpr std::string_view kOutboundMessages = R"sql(
ALTER TABLE deliveries ADD COLUMN message_at INTEGER;
UPDATE deliveries SET message_at = (SELECT at FROM events WHERE id = message)
  WHERE message IS NOT NULL;
ALTER TABLE webhooks ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE webhooks SET owner = coalesce(
  (SELECT username FROM users WHERE users.uid = webhooks.uid), '');
)sql";

// Networks that an access token may be used from, separated by spaces; empty:
// all networks.
constexpr std::string_view kTokenAddresses = R"sql(
ALTER TABLE access_tokens ADD COLUMN addresses TEXT NOT NULL DEFAULT '';
)sql";

// The identity of a job in Slurm has its time of submission; microseconds of
// GPUs and CPUs that ended runs of a job have used.
constexpr std::string_view kSlurmIdentity = R"sql(
ALTER TABLE jobs ADD COLUMN slurm_submitted_at INTEGER;
ALTER TABLE jobs ADD COLUMN gpu_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN cpu_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE live_usage ADD COLUMN spent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE history ADD COLUMN slurm_submitted_at INTEGER;
)sql";

// SHA-256 of the spec that an idempotency key was used with; null: not kept.
constexpr std::string_view kRequestDigests = R"sql(
ALTER TABLE jobs ADD COLUMN request_digest BLOB;
)sql";

// The QOS that Slurm fills in for a job without one.
constexpr std::string_view kDefaultQos = R"sql(
ALTER TABLE jobs ADD COLUMN default_qos TEXT NOT NULL DEFAULT '';
)sql";

// The size of a run since it was last changed.
constexpr std::string_view kSizedRuns = R"sql(
ALTER TABLE jobs ADD COLUMN sized_at INTEGER;
ALTER TABLE jobs ADD COLUMN sized_gpus INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN sized_cpus INTEGER NOT NULL DEFAULT 0;
)sql";

// Maintenance of the site, and reservations for it that were requested of Slurm
// and not deleted yet.
constexpr std::string_view kMaintenance = R"sql(
CREATE TABLE maintenance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  message TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  auto_end INTEGER NOT NULL,
  started_by TEXT NOT NULL,          -- a username
  reservation TEXT NOT NULL,         -- its name in Slurm; empty: none
  partition TEXT NOT NULL,
  nodes TEXT NOT NULL                -- a host list
) STRICT;
CREATE TABLE maintenance_reservations (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  owner_uid INTEGER NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT;
)sql";

// When the database was restored, and of when the backup was. Slurm may have
// jobs of the time in between that the database lacks.
constexpr std::string_view kRestores = R"sql(
CREATE TABLE restores (
  restored_at INTEGER PRIMARY KEY,
  backup_at INTEGER NOT NULL
) STRICT;
)sql";

// Warnings and errors of Carme's programs.
constexpr std::string_view kServiceLog = R"sql(
CREATE TABLE service_log (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  source TEXT NOT NULL,              -- has one budget
  severity INTEGER NOT NULL,
  service TEXT NOT NULL,             -- a program
  node TEXT NOT NULL,                -- empty: none, as the next
  job_id TEXT NOT NULL,
  slurm_job_id INTEGER NOT NULL,     -- 0: none
  user TEXT NOT NULL,
  request_id TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX service_log_by_source ON service_log (source, sequence);
CREATE INDEX service_log_by_time ON service_log (at);
)sql";

// Plain names for two columns: of quota_rules, null is no limit; of history,
// when slurmdbd did not have the job yet.
constexpr std::string_view kPlainColumns = R"sql(
ALTER TABLE quota_rules RENAME COLUMN most TO max_amount;
ALTER TABLE history RENAME COLUMN looked_at TO checked_at;
)sql";

// What happened on nodes, and the nodes that rules have drained.
constexpr std::string_view kNodeHistory = R"sql(
CREATE TABLE node_history (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  source INTEGER NOT NULL,
  severity INTEGER NOT NULL,
  name TEXT NOT NULL,                -- an evaluation or a rule; may be empty
  run TEXT NOT NULL,                 -- entries of one run count once
  job_id TEXT NOT NULL,              -- empty: none
  slurm_job_id INTEGER NOT NULL,     -- 0: none
  user TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (node, source, run, name)
) STRICT;
CREATE INDEX node_history_by_node ON node_history (node, sequence);
CREATE TABLE node_drains (
  node TEXT PRIMARY KEY,
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,              -- without what the impersonator adds
  evaluations TEXT NOT NULL,         -- that must pass, one a line
  requested_at INTEGER NOT NULL,
  state INTEGER NOT NULL             -- 1 requested, 2 drained, 3 passed since
) STRICT, WITHOUT ROWID;
)sql";

// Announcements of the site (backend/announcements/).
constexpr std::string_view kAnnouncements = R"sql(
CREATE TABLE announcements (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  text TEXT NOT NULL,                -- Markdown
  level INTEGER NOT NULL,            -- of the proto, as the next
  audience INTEGER NOT NULL,
  audience_name TEXT NOT NULL,       -- a project, group or role; else empty
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// What users' images with further packages are built from.
constexpr std::string_view kImageRecipes = R"sql(
ALTER TABLE images ADD COLUMN
  recipe BLOB NOT NULL DEFAULT x'';         -- a serialized carme.v1.ImageRecipe
)sql";

// What clients need to write a text in another language: a serialized
// carme.v1.TextCode; empty: the text has no code.
constexpr std::string_view kTextCodes = R"sql(
ALTER TABLE events ADD COLUMN text_code BLOB NOT NULL DEFAULT x'';
ALTER TABLE history ADD COLUMN reason_code BLOB NOT NULL DEFAULT x'';
ALTER TABLE node_history ADD COLUMN text_code BLOB NOT NULL DEFAULT x'';
)sql";

// Jobs that are submitted again without the nodes that vetting found not
// healthy, until that is decided.
constexpr std::string_view kResubmissions = R"sql(
CREATE TABLE job_resubmissions (
  job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  spec BLOB NOT NULL,                -- as submitted: Slurm may change the job's
  number INTEGER NOT NULL            -- of earlier jobs in a row that it replaces
) STRICT, WITHOUT ROWID;
CREATE INDEX node_history_by_run ON node_history (run);
)sql";

}  // namespace

const std::vector<std::string_view>& Migrations() {
  static const std::vector<std::string_view> migrations = {
      kFirst,          kAuditArchives,    kImages,         kOwnImages,
      kEnvironments,   kProjects,         kTemplates,      kReservations,
      kQuotas,         kNotifications,    kHistory,        kTasks,
      kExtensions,     kOutboundMessages, kTokenAddresses, kSlurmIdentity,
      kRequestDigests, kDefaultQos,       kSizedRuns,      kMaintenance,
      kRestores,       kServiceLog,       kPlainColumns,   kNodeHistory,
      kAnnouncements,  kImageRecipes,     kTextCodes,      kResubmissions};
  return migrations;
}

}  // namespace carme::backend
