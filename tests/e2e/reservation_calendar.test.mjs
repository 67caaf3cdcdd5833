// Reserving by dragging in the calendar, and the calendar in another program.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';

import {at, launch, logIn, newPerson, open} from './browser.mjs';
import {demo, onHost, waitFor} from '../support/demo.mjs';
import {Client, origin, request} from '../support/portal.mjs';

const stamp = Date.now();
const title = `Deadline, part ${stamp}`;
const hour = 3_600_000;
const bob = new Client();
let browser, page, name, address;

// The middle of a time of day in the first column of the calendar.
async function pointAt(hours) {
  const box = await page.locator('.day-body').first().boundingBox();
  return [box.x + box.width / 2, box.y + (box.height * hours) / 24 + 2];
}
async function drag(from, to) {
  await page.locator('.day-body').first().scrollIntoViewIfNeeded();
  await page.mouse.move(...await pointAt(from));
  await page.mouse.down();
  await page.mouse.move(...await pointAt((from + to) / 2), {steps: 4});
  await page.mouse.move(...await pointAt(to), {steps: 4});
}
const field = (name) => page.inputValue(at(`reserve-${name}`));
const calendar = (query, from) =>
    request(`${origin()}/calendar/reservations.ics${query}`, {from});
const tokenIn = (url) => new URL(url).searchParams.get('token');
// The content lines, unfolded.
const linesOf = (text) => text.replaceAll('\r\n ', '').split('\r\n');

before(async () => {
  await bob.resume('bob');
  browser = await launch();
  page = await newPerson(browser);
  await page.setViewportSize({width: 1366, height: 900});
  await logIn(page, 'fay');
  await open(page, '/reservations');
  await page.locator(at('calendar-columns')).waitFor();
});

after(async () => {
  if (name && onHost('head', 'scontrol', '-o', 'show', 'reservation')
          .includes(name)) {
    onHost('head', 'scontrol', 'delete', 'reservation', name);
  }
  await browser?.close();
});

test('users who may not reserve: have a calendar without selection',
     async () => {
       const other = await browser.newContext({ignoreHTTPSErrors: true});
       const bobs = await other.newPage();
       const [key, value] = bob.cookie.split(/=(.*)/s);
       await other.addCookies([{
         name: key, value, url: origin(), secure: true, httpOnly: true,
       }]);
       await bobs.goto(`${origin()}/#/reservations`);
       await bobs.locator(at('calendar-columns')).waitFor();
       assert.equal(await bobs.locator('[data-selectable="true"]').count(), 0);
       await bobs.locator(at('calendar-columns')).focus();
       await bobs.keyboard.press('ArrowDown');
       assert.equal(await bobs.locator(at('calendar-plan')).count(), 0);
       await other.close();
     });

test('a time in the past: is not reserved', async () => {
  await page.click(at('calendar-week'));
  await page.click(at('calendar-before'));
  await drag(9, 11);
  await page.mouse.up();
  assert.equal(await page.locator(at('reserve-form')).count(), 0);
});

test('Escape ends a selection', async () => {
  await page.click(at('calendar-today'));
  await page.click(at('calendar-after'));
  await drag(9, 11);
  await page.locator(at('calendar-plan')).first().waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.equal(await page.locator(at('calendar-plan')).count(), 0);
  assert.equal(await page.locator(at('reserve-form')).count(), 0);
});

test('the keyboard: selects a time and opens the form with it', async () => {
  const columns = page.locator(at('calendar-columns'));
  await columns.focus();
  await page.keyboard.press('ArrowDown');  // 8 o'clock of the first day
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  assert.match(await page.locator(at('calendar-selection')).innerText(),
               /08:00 to 09:30 \(1 h 30 min\) selected/);
  await page.keyboard.press('Enter');
  await page.locator(at('reserve-form')).waitFor();
  assert.equal(await field('time'), '08:00');
  assert.equal(await field('duration'), '1 h 30 min');
  assert.equal(await page.evaluate(
      () => document.activeElement.dataset.testid), 'reserve-title');
});

test('dragging: fills in the time, also while the form is open', async () => {
  // A banner that appears meanwhile moves the calendar below the mouse.
  await waitFor('the form has the time', async () => {
    await drag(9, 10.75);
    await page.mouse.up();
    return await field('time') === '09:00' && await field('duration') === '2 h';
  });
  await page.locator(at('calendar-plan'), {hasText: '09:00–11:00'}).waitFor();
  // In the form the time changes in the calendar.
  await page.fill(at('reserve-duration'), '30 min');
  await page.locator(at('calendar-plan'), {hasText: '09:00–09:30'}).waitFor();
});

test('a dragged time: is reserved in Slurm', async () => {
  await page.fill(at('reserve-title'), title);
  const [answer] = await Promise.all([
    page.waitForResponse(/ReservationService\/CreateReservation/),
    page.click(at('reserve-save')),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  const {reservation} = await answer.json();
  ({name} = reservation);
  const start = new Date(reservation.startsAt);
  assert.equal(start.getHours(), 9);
  assert.equal(new Date(reservation.endsAt) - start, hour / 2);
  await page.locator(at(`calendar-block-${name}`)).waitFor();
  assert.ok(onHost('head', 'scontrol', '-o', 'show', 'reservation')
      .includes(name));
});

test('the month: opens a day, which has the reservation', async () => {
  await page.click(at('calendar-month'));
  await page.locator(at('calendar-grid')).waitFor();
  const item = page.locator('.month-item', {hasText: title});
  const day = page.locator('.month-day', {has: item});
  await day.locator('.month-number').click();
  await page.locator(`${at('calendar-columns')}[data-view="day"]`).waitFor();
  await page.locator(at(`calendar-block-${name}`)).waitFor();
});

test('an address without a valid token: shows nothing', async () => {
  const wrong = `carme_${'x'.repeat(43)}`;
  const answers = await Promise.all(
      ['', '?token=', `?token=${wrong}`, `?token=${wrong}&cluster=beta`,
       '?token=%00', `?token=${'x'.repeat(400)}`].map((query) =>
          calendar(query)));
  for (const {status, text, headers} of answers) {
    assert.equal(status, 404);
    assert.equal(text, answers[0].text);
    assert.equal(headers['set-cookie'], undefined);
  }
});

test('an address: is shown once, and has the user\'s reservations',
     async () => {
       await page.click(at('address-create'));
       address = await page.locator(at('address-text')).innerText();
       await page.click(at('address-done'));
       assert.equal(await page.getByText(tokenIn(address)).count(), 0);
       const {status, headers, text} = await request(address);
       assert.equal(status, 200, text);
       assert.equal(headers['content-type'], 'text/calendar; charset=utf-8');
       assert.equal(headers['cache-control'], 'no-store');
       const lines = linesOf(text);
       assert.equal(lines[0], 'BEGIN:VCALENDAR');
       assert.ok(lines.includes(`UID:${name}`));
       assert.ok(lines.includes(`SUMMARY:${title.replace(',', '\\,')}`));
       for (const line of text.split('\r\n')) {
         assert.ok(Buffer.byteLength(line) <= 75, line);
       }
     });

test('an address: allows nothing else', async () => {
  const headers = {'Authorization': `Bearer ${tokenIn(address)}`};
  const script = new Client();
  for (const method of ['ReservationService/ListReservations',
                        'JobService/ListJobs', 'AuthService/GetSession',
                        'AccountService/ListTokens']) {
    const {status} = await script.call(method, {}, headers);
    assert.equal(status, 403, method);
  }
});

test('a token with another scope: is no address', async () => {
  const {body: {secret, token}} = await page.evaluate(async () => {
    const answer = await fetch('/carme.v1.AccountService/CreateToken', {
      method: 'POST', headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({
        name: 'e2e', scopes: ['reservations:read'],
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    });
    return {body: await answer.json()};
  });
  assert.equal((await calendar(`?token=${secret}`)).status, 404);
  await page.evaluate((id) => fetch('/carme.v1.AccountService/RevokeToken', {
    method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({id}),
  }), token.id);
});

test('an address: is in no log', () => {
  const directory = join(dirname(demo().ca_file), 'log');
  for (const file of readdirSync(directory)) {
    const log = readFileSync(join(directory, file), 'latin1');
    assert.ok(!log.includes(tokenIn(address)), file);
  }
});

test('a renewed address: replaces the old one, until it is revoked',
     async () => {
       await page.click(at('address-renew'));
       await page.click(at('confirm'));
       const renewed = await page.locator(at('address-text')).innerText();
       await page.click(at('address-done'));
       assert.notEqual(renewed, address);
       assert.equal((await request(address)).status, 404);
       assert.equal((await request(renewed)).status, 200);
       assert.equal(await page.locator(at('address-row')).count(), 1);
       await page.click(at('address-revoke'));
       await page.click(at('confirm'));
       await page.locator(at('address-row')).waitFor({state: 'detached'});
       assert.equal((await request(renewed)).status, 404);
     });

test('the browser reported no error', () => {
  assert.deepEqual(page.problems, []);
});
