import type { Queue, QueuePlace } from "#proto/cluster_utilization";
import { count } from "../../../lib/format/count";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { Panel } from "../../../ui/panel";
import { messages } from "../messages";

export function QueuePanel(props: {
  queues: readonly Queue[];
  places: readonly QueuePlace[];
}) {
  const { queues, places } = props;
  return (
    <Panel
      title={messages.queue}
      about={messages.jobsOfAllUsersAlso}
      testId="queue"
    >
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{messages.partition}</th>
              <th scope="col" class="number">
                {" "}
                {messages.running}{" "}
              </th>
              <th scope="col" class="number">
                {messages.pending}{" "}
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ partition, running, waiting }) => (
              <tr key={partition} data-testid={`queue-${partition}`}>
                <td>{partition}</td>
                <td class="number">{running}</td>
                <td class="number">{waiting}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {places.length > 0 && (
        <ul class="rows">
          {places.map((place) => (
            <li
              key={place.jobId}
              class="row"
              data-testid={`place-${place.jobId}`}
            >
              {locationLabel(place, Date.now())}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

// "“train” is pending in main: 2 jobs are ahead; expected to start at about
// 14:05".
export function locationLabel(place: QueuePlace, now: number): string {
  const ahead =
    place.ahead === 0
      ? messages.noJobsAreAhead
      : `${count(place.ahead, "job")} ${place.ahead === 1 ? "is" : "are"} ahead`;
  const start = msOf(place.expectedStart);
  const when =
    start !== undefined && start > now
      ? `; expected to start at about ${formatMoment(start, now)}`
      : "";
  return `“${place.name}” is pending in ${place.partition}: ${ahead}${when}`;
}
