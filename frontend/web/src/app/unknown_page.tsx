import { PageTitle } from "../routes/page_title";
import { hrefOf } from "../routes/route";

export function UnknownPage() {
  return (
    <div class="empty" data-testid="unknown-page">
      <PageTitle text="Page not found" />
      <p class="muted">
        The address may be mistyped, or your role has no access to this page.
      </p>
      <a class="button" href={hrefOf("dashboard")}>
        Go to the dashboard
      </a>
    </div>
  );
}
