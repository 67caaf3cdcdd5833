// The address at which a calendar program reads the user's reservations. It has
// an access token that allows nothing else.
import type { AccessToken } from "#proto/account";

// The scope; a token with it has no other.
export const kCalendarScope = "calendar:read";

export function calendarTokens(
  tokens: readonly AccessToken[],
): readonly AccessToken[] {
  return tokens.filter(
    ({ scopes }) => scopes.length === 1 && scopes[0] === kCalendarScope,
  );
}

// `cluster`: empty if there is only one.
export function calendarAddress(
  origin: string,
  secret: string,
  cluster: string,
): string {
  const query = new URLSearchParams({ token: secret });
  if (cluster) query.set("cluster", cluster);
  return `${origin}/calendar/reservations.ics?${query}`;
}
