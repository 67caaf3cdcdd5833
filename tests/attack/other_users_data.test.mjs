// A user with a good session of their own, against what others booked, were
// sent and ran: every rpc of these services that names an object or a user.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {onHost} from '../support/demo.mjs';
import {rpcs} from '../support/contract.mjs';
import {Client} from '../support/portal.mjs';

const ada = new Client(), bob = new Client(), fay = new Client();
const title = `Exam ${Date.now()}`;
let booked;

const inSlurm = () =>
    onHost('head', 'sh', '-c', 'scontrol -o show reservation || true');
const inDays = (days) =>
    new Date(Date.now() + days * 24 * 3600_000).toISOString();
// Far from now: no other test misses the node.
const spec = (change = {}) => ({
  title, nodes: 1, duration: '1800s', startsAt: inDays(50), ...change,
});
const listOf = async (client) =>
    (await client.call('ReservationService/ListReservations', {}))
        .body.reservations ?? [];

before(async () => {
  await ada.resume('ada');
  await fay.resume('fay');
  await bob.logIn('bob');  // with a fresh factor
  const {status, body} =
      await fay.call('ReservationService/CreateReservation', {spec: spec()});
  assert.equal(status, 200, JSON.stringify(body));
  booked = body.reservation;
});
after(async () => {
  await fay.call('ReservationService/CancelReservation', {id: booked?.id});
});

test('the attacked ports and sockets are all that exist', () => {
  const known = [
    'HistoryService/ExportHistory', 'HistoryService/GetUsage',
    'HistoryService/ListHistory', 'NotificationService/GetChannels',
    'NotificationService/GetDeliveryHealth',
    'NotificationService/ListNotifications', 'NotificationService/MarkRead',
    'NotificationService/RemoveWebhook',
    'NotificationService/SetNotificationPreferences',
    'NotificationService/SetWebhook', 'NotificationService/TestChannel',
    'ReservationCalendarService/GetReservationCalendar',
    'ReservationService/CancelReservation',
    'ReservationService/CreateReservation',
    'ReservationService/ListReservations',
    'ReservationService/PreviewReservation',
  ];
  const found = rpcs.map(({method}) => method)
      .filter((method) => /^(History|Notification|Reservation)/.test(method));
  assert.deepEqual(found.sort(), known);
});

test('another user\'s reservation: shows its time, but not its owner', async () => {
  const [seen] = (await listOf(bob)).filter(({name}) => name === booked.name);
  if (seen) {  // the watcher asks now and then
    assert.doesNotMatch(JSON.stringify(seen), new RegExp(`\\bfay\\b|${title}`));
    assert.equal(seen.id ?? '', '');
    assert.equal(seen.mayCancel ?? false, false);
  }
  assert.match(JSON.stringify(await listOf(fay)), new RegExp(title));
});

test('another user\'s reservation: cancelling it reports not found', async () => {
  for (const id of [booked.id, booked.name, '../' + booked.id, '', '%',
                    'a'.repeat(1000)]) {
    const {status} =
        await bob.call('ReservationService/CancelReservation', {id});
    assert.ok(status === 404 || status === 400, `HTTP ${status}`);
  }
  assert.match(inSlurm(), new RegExp(booked.name));
});

test('another user\'s reservation: jobs in it are refused', async () => {
  const {status} = await bob.call('JobService/SubmitJob', {spec: {
    app: 'shell', walltime: '60s', gpusPerNode: 0, reservation: booked.name,
  }});
  assert.ok(status >= 400 && status < 500, `HTTP ${status}`);
});

test('reservations out of bounds: refused with a message, none in Slurm', async () => {
  const before = inSlurm();
  for (const change of [
    {}, {project: 'aaaaaaaaaaaaaaaa'}, {nodes: -1}, {nodes: 2147483647},
    {duration: '315576000000s'}, {duration: '-60s'}, {duration: '0.5s'},
    {startsAt: '0001-01-01T00:00:00Z'}, {startsAt: '9999-12-31T23:59:59Z'},
    {title: 'a\nUsers=bob'}, {title: 'x'.repeat(100_000)},
    {partition: 'main users=bob'}, {partition: '--uid=root'},
  ]) {
    for (const client of [bob, fay]) {
      if (client === fay && Object.keys(change).length === 0) continue;
      const {status, body} = await client.call(
          'ReservationService/CreateReservation', {spec: spec(change)});
      assert.ok(status >= 400 && status < 500,
                `${JSON.stringify(change).slice(0, 80)}: HTTP ${status}`);
      // Without what is random or encoded, which may contain any letters.
      const details = (body.details ?? []).map(({debug}) => debug);
      assert.doesNotMatch(JSON.stringify([body.code, body.message, details]),
                          /internal|sql|socket/i);
      const preview = await client.call(
          'ReservationService/PreviewReservation', {spec: spec(change)});
      assert.ok(preview.status < 500, `preview: HTTP ${preview.status}`);
    }
  }
  assert.equal(inSlurm(), before);
});

test('history: others\' jobs are in no answer', async () => {
  const rows = (body) => JSON.stringify(body.jobs ?? body.csv ?? body.rows ?? '');
  for (const [filter, wanted] of [
    [{scope: 'HISTORY_SCOPE_EVERYBODY'}, 403],
    [{scope: 'HISTORY_SCOPE_PROJECT', project: 'aaaaaaaaaaaaaaaa'}, 404],
    [{scope: 'HISTORY_SCOPE_PROJECT'}, 400],
    [{scope: 77}, 400],
    [{username: 'ada'}, 200],
    [{search: '%\' OR owner=\'ada\' --'}, 200],
    [{gpuType: '\' OR 1=1 --'}, 200],
  ]) {
    for (const method of ['ListHistory', 'ExportHistory']) {
      const {status, body} =
          await bob.call(`HistoryService/${method}`, {filter});
      assert.equal(status, wanted, `${method} ${JSON.stringify(filter)}`);
      assert.doesNotMatch(rows(body), /\bada\b/);
    }
  }
  for (const question of [
    {scope: 'HISTORY_SCOPE_EVERYBODY'},
    {scope: 'HISTORY_SCOPE_PROJECT', project: 'aaaaaaaaaaaaaaaa'}, {by: 77},
    {from: '9999-12-31T23:59:59Z'},
    {stepStarts: Array(33).fill('2026-01-01T00:00:00Z')},
    {stepStarts: ['0001-01-01T00:00:00Z']},
  ]) {
    const {status} = await bob.call('HistoryService/GetUsage', question);
    assert.ok(status >= 400 && status < 500, `HTTP ${status}`);
  }
  const all = await bob.call('HistoryService/GetUsage',
                             {from: '0001-01-01T00:00:00Z', by: 'USAGE_BY_USER'});
  assert.equal(all.status, 200);
  assert.deepEqual((all.body.rows ?? []).filter(({key}) => key !== 'bob'), []);
  for (const pageToken of ['x', '1.', '.aaaaaaaaaaaaaaaa',
                           '99999999999999999999.aaaaaaaaaaaaaaaa']) {
    const {status} =
        await bob.call('HistoryService/ListHistory', {pageToken});
    assert.equal(status, 400, pageToken);
  }
});

test('notifications: others\' are neither read nor marked', async () => {
  const unreadOf = async (client) =>
      (await client.call('NotificationService/ListNotifications', {pageSize: 100}))
          .body;
  // Fay has one of her own that is unread.
  const result = await fay.call('NotificationService/TestChannel',
                              {channel: 'CHANNEL_MAIL'});
  assert.ok([200, 429].includes(result.status), JSON.stringify(result));
  const before = await unreadOf(fay);
  const ids = (before.notifications ?? []).map(({id}) => id);
  assert.ok(ids.length > 0);
  const marked = await bob.call('NotificationService/MarkRead',
                                {ids, upTo: '9223372036854775807'});
  assert.equal(marked.status, 200);
  const now = await unreadOf(fay);
  assert.ok((now.unread ?? 0) >= (before.unread ?? 0));
  const bobs = (await unreadOf(bob)).notifications ?? [];
  assert.deepEqual(bobs.filter(({id}) => ids.includes(id)), []);
  for (const body of [{pageToken: '-1'}, {pageSize: -1}, {pageSize: 2147483647}]) {
    const {status} =
        await bob.call('NotificationService/ListNotifications', body);
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.equal((await bob.call('NotificationService/GetDeliveryHealth', {}))
                   .status, 403);
});

// What the backend can reach and bob cannot.
for (const url of [
  'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/',
  'https://[::1]/', 'https://[::ffff:169.254.169.254]/',
  'https://169.254.169.254/latest/meta-data', 'https://10.77.0.1/',
  'https://[64:ff9b::7f00:1]/', 'http://example.org/',
  'https://example.org:22/', 'https://user:word@example.org/',
  'file:///etc/passwd', 'gopher://127.0.0.1:6817/_x', 'smtp://127.0.0.1/',
  'https://example.org/\r\nX-Evil: 1', 'https://example.org\\@127.0.0.1/',
]) {
  test(`a webhook to ${JSON.stringify(url)}: refused`, async () => {
    const {status, body} =
        await bob.call('NotificationService/SetWebhook', {url});
    assert.equal(status, 400);
    assert.equal(body.code, 'invalid_argument', JSON.stringify(body));
  });
}
