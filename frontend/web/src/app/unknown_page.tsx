import { PageTitle } from "../routes/page_title";
import { hrefOf } from "../routes/route";
import { messages } from "#messages/app";

export function UnknownPage() {
  return (
    <div class="empty" data-testid="unknown-page">
      <PageTitle text={messages.pageNotFound} />
      <p class="muted">{messages.theAddressMayBeMistyped}</p>
      <a class="button" href={hrefOf("dashboard")}>
        {messages.goToTheDashboard}
      </a>
    </div>
  );
}
