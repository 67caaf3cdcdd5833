// All users who have logged in at least once.
import { useState } from "preact/hooks";
import type { User } from "#proto/admin";
import { kindLabels } from "../auth/factors/factor_methods";
import { PageTitle } from "../../routes/page_title";
import { userHref } from "../../routes/route";
import { roleLabel } from "../../session/roles";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { useUsers } from "./use_users";
import { messages } from "#messages/admin";

export function UsersPage() {
  const [filter, setFilter] = useState("");
  const { loaded, mutation, loadMore } = useUsers(filter);
  return (
    <>
      <PageTitle text={messages.users} />
      <label class="search">
        <Icon name="search" />
        <span class="sr-only">{messages.searchByName}</span>
        <input
          type="search"
          data-testid="user-search"
          placeholder={messages.searchByName}
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </label>
      <QueryView loaded={loaded}>
        {({ users, nextPageToken }) => (
          <>
            <p class="muted small" role="status">
              {users.length === 0 && messages.noUsersMatch}
            </p>
            {users.length > 0 && <UserTable users={users} />}
            {mutation.failure && <FailureNote failure={mutation.failure} />}
            {nextPageToken !== "" && (
              <button
                class="button"
                type="button"
                aria-disabled={mutation.busy}
                onClick={loadMore}
              >
                {mutation.busy ? messages.loading : messages.showMore}
              </button>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}

function UserTable({ users }: { users: readonly User[] }) {
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{messages.user}</th>
            <th scope="col">{messages.role}</th>
            <th scope="col">{messages.secondFactors}</th>
            <th scope="col">{messages.lastLogin}</th>
            <th scope="col" class="number">
              {messages.sessions}
            </th>
            <th scope="col" class="number">
              {messages.tokens}
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.username} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UserRow({ user }: { user: User }) {
  const { username, displayName, role, factors } = user;
  return (
    <tr data-testid={`user-${username}`}>
      <td>
        <a href={userHref(username)}>{username}</a>
        {displayName && displayName !== username && (
          <span class="muted small cell-more">{displayName}</span>
        )}
      </td>
      <td>
        <span class="tag">{roleLabel(role)}</span>
      </td>
      <td>
        {factors.length > 0 ? (
          factors.map(kindLabels).join(", ")
        ) : (
          <span class="muted">{messages.noneLabel}</span>
        )}
      </td>
      <td>
        <Moment at={user.lastLogin} />
      </td>
      <td class="number">{user.sessions}</td>
      <td class="number">{user.tokens}</td>
    </tr>
  );
}
