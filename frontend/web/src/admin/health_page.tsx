// How the programs are.
import type { CertificateHealth } from "#proto/admin";
import { adminClient } from "../api/admin_clients";
import { formatDay } from "../format/moment";
import { DeliveryHealth } from "../notifications/delivery_health";
import { PageTitle } from "../route/page_title";
import { useLoaded } from "../session/use_loaded";
import { LoadedView } from "../ui/loaded_view";
import { Moment } from "../ui/moment";
import { Panel } from "../ui/panel";
import { certificateWords } from "./certificate_words";

export function HealthPage() {
  const loaded = useLoaded(() => adminClient.getHealth({}));
  return (
    <>
      <PageTitle text="Health" />
      <Panel
        title="Certificates"
        about="With which the programs prove to each other who they are. Renewed ones are picked up without a restart."
        testName="certificates"
      >
        <LoadedView loaded={loaded}>
          {({ certificates }) =>
            certificates.length === 0 ? (
              <p class="muted">None is known.</p>
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
        </LoadedView>
      </Panel>
      <DeliveryHealth />
    </>
  );
}

function CertificateRow(props: { certificate: CertificateHealth }) {
  const { certificate } = props;
  const { tone, text } = certificateWords(certificate, Date.now());
  return (
    <li class="row" data-test={`certificate-${certificate.program}`}>
      <div class="row-what">
        <p class="row-title">{certificate.program}</p>
        <p class="muted small facts-line">
          <span class="mono">{certificate.name}</span>
          <span>
            until <Moment at={certificate.notAfter} format={formatDay} />
          </span>
        </p>
      </div>
      <span class="state" data-tone={tone}>
        {text}
      </span>
    </li>
  );
}
