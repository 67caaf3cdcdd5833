// The state of each component of the site, and since when.
import type { CertificateHealth, GetHealthResponse } from "#proto/admin";
import { adminClient } from "../../api/admin";
import { formatDay } from "../../lib/format/moment";
import { DeliveryHealth } from "../notifications/delivery_health";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { useReloadOnHealth } from "../../session/use_reload";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { Panel } from "../../ui/panel";
import { useNow } from "../../ui/use_now";
import { certificateLabel } from "./certificate_labels";
import { ComponentGroups } from "./component_rows";
import { summaryLabel } from "./health_labels";
import { messages } from "#messages/admin";

const kAgePeriodMs = 10_000;

export function HealthPage() {
  const loaded = useQuery(() => adminClient.getHealth({}));
  useReloadOnHealth(loaded);
  return (
    <>
      <PageTitle text={messages.health} />
      <Panel
        title={messages.components}
        about={messages.asObservedByTheBackend}
        testId="health"
      >
        <QueryView loaded={loaded}>
          {({ components }) => <Components components={components} />}
        </QueryView>
      </Panel>
      <Panel
        title={messages.certificates}
        about={messages.certificatesForCommunicationBetweenCarme}
        testId="certificates"
      >
        <QueryView loaded={loaded}>
          {({ certificates }) =>
            certificates.length === 0 ? (
              <p class="muted">{messages.noCertificatesKnown}</p>
            ) : (
              <ul class="rows">
                {certificates.map((certificate) => (
                  <CertificateRow
                    key={`${certificate.program} ${certificate.name}`}
                    certificate={certificate}
                  />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Panel>
      <DeliveryHealth />
    </>
  );
}

function Components(props: Pick<GetHealthResponse, "components">) {
  const now = useNow(kAgePeriodMs);
  const { tone, text } = summaryLabel(props.components);
  return (
    <>
      <p
        class="health-summary"
        role="status"
        data-tone={tone}
        data-testid="health-summary"
      >
        {text}
      </p>
      <ComponentGroups components={props.components} now={now} />
    </>
  );
}

function CertificateRow(props: { certificate: CertificateHealth }) {
  const { certificate } = props;
  const { tone, text } = certificateLabel(certificate, Date.now());
  return (
    <li class="row" data-testid={`certificate-${certificate.program}`}>
      <div class="row-what">
        <p class="row-title">{certificate.program}</p>
        <p class="muted small facts-line">
          <span class="mono">{certificate.name}</span>
          <span>
            {messages.expires}{" "}
            <Moment at={certificate.notAfter} format={formatDay} />
          </span>
        </p>
      </div>
      <span class="state" data-tone={tone}>
        {text}
      </span>
    </li>
  );
}
