// An example command for a new token. curl reads the token from its standard
// input, because arguments are visible in the process list.
const kCalls: readonly (readonly [scope: string, method: string])[] = [
  ["jobs:read", "JobService/ListJobs"],
  ["account:read", "AuthService/GetSession"],
  ["admin:read", "AdminService/ListUsers"],
  ["audit:read", "AuditService/ListAudit"],
  ["projects:read", "ProjectService/ListProjects"],
  ["templates:read", "TemplateService/ListTemplates"],
  ["limits:read", "LimitService/GetLimits"],
  ["reservations:read", "ReservationService/ListReservations"],
  ["images:read", "ImageService/ListImages"],
];

// Uses the first read-only call that the scopes allow.
export function curlLine(
  origin: string,
  scopes: readonly string[],
  secret: string,
): string {
  const found = kCalls.find(([scope]) => scopes.includes(scope));
  const method = found?.[1] ?? "JobService/SubmitJob";
  return [
    "curl -H @- -H 'Content-Type: application/json' -d '{}' \\",
    `  ${origin}/carme.v1.${method} \\`,
    `  <<< 'Authorization: Bearer ${secret}'`,
  ].join("\n");
}
