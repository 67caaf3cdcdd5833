import type { User } from "#proto/admin";
import { hrefOf } from "../../routes/route";
import { roleLabel } from "../../session/roles";
import { Moment } from "../../ui/moment";

export function UserDetails({ user }: { user: User }) {
  const { username, displayName, uid, role, lastLogin } = user;
  const audit = new URLSearchParams({ actor: username }).toString();
  return (
    <dl class="fact-grid">
      <div>
        <dt>Name</dt>
        <dd>{displayName || username}</dd>
      </div>
      <div>
        <dt>uid</dt>
        <dd class="mono">{uid}</dd>
      </div>
      <div>
        <dt>Role</dt>
        <dd>{roleLabel(role)}</dd>
      </div>
      <div>
        <dt>Last login</dt>
        <dd>
          <Moment at={lastLogin} />
        </dd>
      </div>
      <div>
        <dt>Audit log</dt>
        <dd>
          <a href={hrefOf("audit", audit)}>entries of {username}</a>
        </dd>
      </div>
    </dl>
  );
}
