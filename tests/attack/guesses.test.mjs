// Strangers who know a name guess at its password and at its codes, from many
// addresses; its owner comes from one where they have never been.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {addPerson, nextCode} from '../support/demo.mjs';
import {Client, unknownAddress} from '../support/portal.mjs';

const unique = Math.floor(Math.random() * 900);
const owner = `owner${unique}`;
const newcomer = `new${unique}`;
const nobody = `nobody${unique}`;
let password, unenrolled, secret, recoveryCodes;

const unknownClient = () => new Client({from: unknownAddress()});
const logIn = (client, fields) => client.call('AuthService/Login', fields);

before(async () => {
  password = addPerson(owner, 41000 + unique);
  unenrolled = addPerson(newcomer, 42000 + unique);
  const home = unknownClient();
  const {body} = await logIn(home, {username: owner, password});
  secret = body.enrolment.secret;
  const enrolled = await home.call('AuthService/VerifyFactor', {
    challenge: body.challenge, totp: await nextCode(owner, secret),
  });
  assert.equal(enrolled.status, 200);
  ({recoveryCodes} = enrolled.body);
  // The strangers' share of each name.
  for (const username of [owner, newcomer, nobody]) {
    for (let i = 0; i < 3; ++i) {
      const {status} = await logIn(unknownClient(), {username, password: `x${i}`});
      assert.equal(status, 401);
    }
  }
});

test('guesses: each name is asked for a second factor first, alike',
     async () => {
       const answers = await Promise.all([
         {username: owner, password}, {username: owner, password: 'x'},
         {username: newcomer, password: unenrolled},
         {username: nobody, password},
       ].map((fields) => logIn(unknownClient(), fields)));
       for (const {status, body} of answers) {
         assert.equal(status, 200);
         assert.deepEqual(Object.keys(body), ['factorFirst']);
         const {factors, passkeyRequest, waitS} = body.factorFirst;
         assert.deepEqual(factors, answers[0].body.factorFirst.factors);
         assert.deepEqual(Object.keys(passkeyRequest).sort(),
                          ['challenge', 'rpId']);
         assert.ok(Number(waitS) > 600 && Number(waitS) <= 1800, waitS);
       }
     });

test('guesses: all refusals are equal', async () => {
  const early = [
    {username: owner, password, totp: '000000'},
    {username: owner, password: 'x', recoveryCode: recoveryCodes[0]},
    {username: owner, password, recoveryCode: 'ABCD-EFGH-JKLM-NPQR'},
    {username: owner, password, totp: '000000',
     recoveryCode: recoveryCodes[0]},
    {username: newcomer, password: unenrolled, totp: '000000'},
    {username: newcomer, password: unenrolled, recoveryCode: recoveryCodes[0]},
    {username: nobody, password, totp: '000000'},
    {username: owner, password, passkey: {credentialId: 'AAAA'},
     passkeyChallenge: 'AAAA'},
  ];
  const answers = await Promise.all(
      early.map((fields) => logIn(unknownClient(), fields)));
  for (const {status, body: {code, message}} of answers) {
    assert.equal(status, 401);
    assert.deepEqual([code, message],
                     [answers[0].body.code, answers[0].body.message]);
  }
});

test('guesses: no challenge of a log-in half done is a session', async () => {
  const client = unknownClient();
  const {body} = await logIn(client, {
    username: owner, password, recoveryCode: recoveryCodes[1],
  });
  assert.equal(body.factorProved, true);
  assert.equal(client.cookie, '');
  client.cookie = `__Host-carme=${body.challenge}`;
  assert.equal((await client.call('AuthService/GetSession', {})).status, 401);
  const again = await logIn(unknownClient(), {
    username: owner, password, recoveryCode: recoveryCodes[1],
  });
  assert.equal(again.status, 401);
});

test('guesses: the attacker waits, the owner does not', async () => {
  const guesser = unknownClient();
  const answers = [];
  // Ten are free; each pause from then on is twice the last.
  while (!answers.includes(429) && answers.length < 20) {
    const totp = String(answers.length).padStart(6, '0');
    answers.push((await logIn(guesser, {username: owner, password, totp}))
                     .status);
  }
  assert.ok(answers.includes(429), answers.join(' '));
  assert.ok(!answers.includes(200), answers.join(' '));

  // The owner's code, and seven times the same from others who saw it.
  const totp = await nextCode(owner, secret);
  const people = Array.from({length: 8}, unknownClient);
  const shown = await Promise.all(people.map(
      (person) => logIn(person, {username: owner, password, totp})));
  const opened = people.filter((_, i) => shown[i].body.factorProved);
  assert.equal(opened.length, 1);
  const [away] = opened;
  const {challenge} = shown[people.indexOf(away)].body;
  const {status, body} =
      await away.call('AuthService/VerifyFactor', {challenge});
  assert.equal(status, 200);
  assert.equal(body.session.username, owner);
  assert.equal((await away.call('AuthService/GetSession', {})).status, 200);
});
