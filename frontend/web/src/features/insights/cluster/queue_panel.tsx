import type { Queue, QueuePlace } from "#proto/cluster_utilization";
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
  const { name, partition } = place;
  const ahead = messages.jobsAhead(place.ahead);
  const start = msOf(place.expectedStart);
  return start !== undefined && start > now
    ? messages.pendingInUntil(name, partition, ahead, formatMoment(start, now))
    : messages.pendingIn(name, partition, ahead);
}
