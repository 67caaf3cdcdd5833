import { PageTitle } from "../routes/page_title";
import { hrefOf } from "../routes/route";

export function UnknownPage() {
  return (
    <div class="empty" data-testid="unknown-page">
      <PageTitle text="There is no such page" />
      <p class="muted">
        Its address may be mistyped, or it is not for your role.
      </p>
      <a class="button" href={hrefOf("dashboard")}>
        Go to your work
      </a>
    </div>
  );
}
