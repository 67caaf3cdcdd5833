import type { User } from "#proto/admin";
import { hrefOf } from "../../routes/route";
import { roleLabel } from "../../session/roles";
import { Moment } from "../../ui/moment";
import { messages } from "#messages/admin";

export function UserDetails({ user }: { user: User }) {
  const { username, displayName, uid, role, lastLogin } = user;
  const audit = new URLSearchParams({ actor: username }).toString();
  return (
    <dl class="fact-grid">
      <div>
        <dt>{messages.name}</dt>
        <dd>{displayName || username}</dd>
      </div>
      <div>
        <dt>{messages.uid}</dt>
        <dd class="mono">{uid}</dd>
      </div>
      <div>
        <dt>{messages.role}</dt>
        <dd>{roleLabel(role)}</dd>
      </div>
      <div>
        <dt>{messages.lastLogin}</dt>
        <dd>
          <Moment at={lastLogin} />
        </dd>
      </div>
      <div>
        <dt>{messages.auditLog}</dt>
        <dd>
          <a href={hrefOf("audit", audit)}>
            {messages.entriesOf({ username })}
          </a>
        </dd>
      </div>
    </dl>
  );
}
