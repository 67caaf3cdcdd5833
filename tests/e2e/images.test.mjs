// Images of users' own, made by jobs that run as them: from an OCI archive
// or directory, a Docker archive or a definition. What is not theirs, or has
// changed, starts nothing; what a manager of a group or project shares starts from
// a copy in the site's directory for shared images, with homes that are closed.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {at, launch, newPerson, open, resumeSession} from './browser.mjs';
import {hostCommand, waitFor} from '../support/demo.mjs';
import {ociArchive} from '../support/oci.mjs';
import {Client} from '../support/portal.mjs';

const version = `${Date.now()}`;  // a name is given once
const store = '/home/carme-images/shared';
const ada = new Client(), bob = new Client(), fay = new Client();
const carol = new Client();
let project;  // of ada's

// A line of sh in ada's home, as ada; `input` is what it reads.
function inHome(script, input = '') {
  const [program, words] = hostCommand(
      'n1', 'runuser', '-u', 'ada', '--', 'sh', '-c', `cd ~ada && ${script}`);
  const {status, stderr, stdout} = spawnSync(program, words, {input});
  assert.equal(status, 0, `${script}: ${stderr}`);
  return stdout.toString();
}

async function importImage(client, name, source, path) {
  const {status, body} = await client.call('ImageService/ImportImage', {
    name: `${name}:${version}`, source: `IMAGE_SOURCE_${source}`, path,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.image.id;
}

async function imageOf(client, id) {
  const {body} = await client.call('ImageService/ListImages', {});
  return (body.images ?? []).find((image) => image.id === id);
}

// After the end of its job.
const made = (client, id) => waitFor(`${id} is made`, async () => {
  const image = await imageOf(client, id);
  return image.state !== 'IMAGE_STATE_BUILDING' && image;
}, 240_000);

const submit = (client, image, more = {}) => client.call(
    'JobService/SubmitJob',
    {spec: {app: 'shell', image, walltime: '600s', ...more}});

// The job, in one of these states.
const reaches = (client, jobId, ...states) => waitFor(
    `the job is ${states}`, async () => {
      const {body} = await client.call('JobService/GetJob', {jobId});
      return states.includes(body.job.state.slice('JOB_STATE_'.length)) &&
          body.job;
    }, 240_000);

// Starts a job that must come up, and ends it.
async function runs(client, image, more) {
  const {status, body} = await submit(client, image, more);
  assert.equal(status, 200, JSON.stringify(body));
  const jobId = body.job.id;
  const job = await reaches(client, jobId, 'READY', 'ENDED');
  assert.equal(job.state, 'JOB_STATE_READY', job.reason);
  await client.call('JobService/StopJob', {jobId});
  await reaches(client, jobId, 'ENDED');
}

// Starts a job that must not; gives the reason.
async function fails(client, image) {
  const {status, body} = await submit(client, image);
  assert.equal(status, 200, JSON.stringify(body));
  const job = await reaches(client, body.job.id, 'READY', 'ENDED');
  assert.equal(job.state, 'JOB_STATE_ENDED');
  return job.reason;
}

before(async () => {
  const people = [[ada, 'ada'], [bob, 'bob'], [fay, 'fay'], [carol, 'carol']];
  for (const [client, name] of people) await client.resume(name);
  inHome(`chmod 700 . && rm -rf images-test && mkdir images-test &&
          cat > images-test/tiny.tar`, ociArchive());
  inHome(`mkdir images-test/tiny && tar -xf images-test/tiny.tar -C images-test/tiny`);
});
after(async () => {
  if (project) await onProject(ada, 'CloseProject');
  inHome(`rm -rf images-test carme-images`);
});

test('no image: a link, another\'s file, what is no SIF', async () => {
  inHome(`ln -s tiny.tar images-test/link.sif`);
  const wanted = [
    ['link', '~/images-test/link.sif', /is a link/],
    ['theirs', '/etc/passwd', /belongs to uid 0: expected yours/],
    ['text', '~/images-test/tiny.tar', /is no SIF/],
  ];
  for (const [name, path, words] of wanted) {
    const id = await importImage(ada, name, 'SIF', path);
    const image = await made(ada, id);
    assert.equal(image.state, 'IMAGE_STATE_FAILED');
    assert.match(image.problem, words);
    assert.ok(!image.usable);
    assert.equal((await submit(ada, id)).status, 400);
  }
});

let tiny;
test('an OCI archive becomes an image, and a job starts in it', async () => {
  tiny = await importImage(ada, 'tiny', 'OCI_ARCHIVE', '~/images-test/tiny.tar');
  const image = await made(ada, tiny);
  assert.equal(image.state, 'IMAGE_STATE_ACTIVE', image.problem);
  assert.equal(image.path, `/home/ada/carme-images/tiny@${version}.sif`);
  const digest = inHome(`sha256sum ${image.path}`).split(' ')[0];
  assert.equal(image.sha256, digest);
  await runs(ada, tiny);
});

// As people have them: `docker save`, and `tar -C DIRECTORY -cf FILE .`.
test('so does an archive of docker save, and a tar with "./" before its names',
     async () => {
       inHome(`cd images-test && skopeo --insecure-policy copy --quiet \
                 oci:tiny docker-archive:saved.tar:tiny:1 &&
               tar -C tiny -cf dots.tar . &&
               skopeo --insecure-policy copy --quiet oci:tiny \
                 oci-archive:skopeo.tar`);
       const archives = [['saved', 'DOCKER_ARCHIVE'], ['saved', 'OCI_ARCHIVE'],
                         ['dots', 'OCI_ARCHIVE'], ['skopeo', 'OCI_ARCHIVE']];
       const ids = [];
       for (const [file, source] of archives) {
         const name = `${file}-${source.split('_')[0].toLowerCase()}`;
         const id = await importImage(
             ada, name, source, `~/images-test/${file}.tar`);
         const image = await made(ada, id);
         assert.equal(image.state, 'IMAGE_STATE_ACTIVE', image.problem);
         ids.push(id);
       }
       await runs(ada, ids[1]);
     });

test('the cause of a failed import is named, not a scratch path', async () => {
  inHome('cd images-test && mkdir -p none && touch none/file && ' +
         'tar -C none -cf none.tar file');
  const id =
      await importImage(ada, 'none', 'OCI_ARCHIVE', '~/images-test/none.tar');
  const image = await made(ada, id);
  assert.equal(image.state, 'IMAGE_STATE_FAILED');
  assert.match(image.problem, /no such file|not found|index\.json|oci-layout/);
  assert.doesNotMatch(image.problem, /\/scratch\//);
});

let fromDirectory;
test('so does a directory', async () => {
  fromDirectory =
      await importImage(ada, 'dir', 'OCI_DIRECTORY', '~/images-test/tiny');
  const image = await made(ada, fromDirectory);
  assert.equal(image.state, 'IMAGE_STATE_ACTIVE', image.problem);
});

const definition = (post) => `Bootstrap: oci-archive
From: tiny.tar

%post
  ${post}
`;

test('a definition whose %post fails: reported, no image', async () => {
  inHome('cat > images-test/bad.def', definition('exit 3'));
  const id =
      await importImage(ada, 'bad', 'DEFINITION', '~/images-test/bad.def');
  const image = await made(ada, id);
  assert.equal(image.state, 'IMAGE_STATE_FAILED');
  assert.match(image.problem, /apptainer build ended with exit code/);
  inHome(`test ! -e carme-images/bad@${version}.sif`);
});

test('a definition is built as its user, and a job starts in it', async () => {
  inHome('cat > images-test/good.def',
         definition('cat /proc/self/uid_map > /made-by-post'));
  const id =
      await importImage(ada, 'good', 'DEFINITION', '~/images-test/good.def');
  const image = await made(ada, id);
  assert.equal(image.state, 'IMAGE_STATE_ACTIVE', image.problem);
  const written = inHome(
      `$(sed -n 's/^apptainer = "\\(.*\\)"/\\1/p' /etc/carme/agent.toml) \
       --quiet exec ${image.path} cat /made-by-post; id -u`);
  // Its root was ada, and there was no other user.
  assert.match(written, /^\s*0\s+(\d+)\s+1\s+\1\s*$/);
  await runs(ada, id);
});

test('it is invisible to others, who cannot start it', async () => {
  assert.equal(await imageOf(bob, tiny), undefined);
  assert.equal((await submit(bob, tiny)).status, 400);
  const answer = async (method, body) =>
      (await bob.call(method, body)).status;
  const share = {id: tiny, group: 'carme-users'};
  assert.equal(await answer('ImageService/RemoveImage', {id: tiny}), 404);
  assert.equal(await answer('ImageService/RequestImageShare', share), 404);
  assert.equal(await answer('ImageService/UnshareImage', share), 404);
  assert.equal(
      await answer('JobService/SubmitJob', {spec: {builds: tiny}}), 400);
});

// Once the site's directory for shared images has it.
const copied = (client, id) => waitFor(`${id} is copied`, async () => {
  const {copy} = await imageOf(client, id);
  const state = copy?.state.slice('IMAGE_COPY_STATE_'.length);
  return ['READY', 'FAILED'].includes(state) && copy;
}, 120_000);

// A command on a node, as a user.
function as(user, ...command) {
  const [program, words] =
      hostCommand('n1', 'runuser', '-u', user, '--', ...command);
  return spawnSync(program, words, {encoding: 'utf8'});
}

test('a manager shares it: others start from a copy of it', async () => {
  const share = {id: tiny, group: 'carme-users'};
  const answer = (client, rpc) =>
      client.call(`ImageService/${rpc}`, share).then(({status}) => status);
  assert.equal(await answer(fay, 'ShareImage'), 404);  // it was not offered
  assert.equal(await answer(ada, 'RequestImageShare'), 200);
  assert.equal(await answer(ada, 'ShareImage'), 403);
  assert.equal((await submit(bob, tiny)).status, 400);
  assert.equal(await answer(fay, 'ShareImage'), 200);
  const copy = await copied(ada, tiny);
  assert.equal(copy.state, 'IMAGE_COPY_STATE_READY', copy.problem);
  const {sha256} = await imageOf(bob, tiny);
  assert.equal(copy.path, `${store}/store/${sha256}.sif`);
  // bob reads the copy, and only its account can change or list it.
  assert.equal(as('bob', 'sha256sum', copy.path).stdout.split(' ')[0], sha256);
  for (const user of ['ada', 'bob']) {
    for (const command of [['sh', '-c', `: >> ${copy.path}`],
                           ['rm', '-f', copy.path],
                           ['touch', `${store}/store/planted.sif`],
                           ['ls', `${store}/store`], ['ls', `${store}/incoming`],
                           ['mv', copy.path, `${store}/incoming/x`]]) {
      assert.notEqual(as(user, ...command).status, 0, command.join(' '));
    }
  }
  assert.equal(as('carme-images', 'ls', `${store}/incoming`).stdout, '');
  assert.notEqual(as('bob', 'ls', '/home/ada').status, 0);
  await runs(bob, tiny);
  // Nor is a copy of it needed for an environment, or for a job on two nodes.
  const environment = `shared-${version}`;
  const saved = await bob.call('EnvironmentService/SaveEnvironment', {
    name: environment, text: `image = "store#${tiny}"\n`,
  });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  await runs(bob, undefined, {environment});
  await bob.call('EnvironmentService/DeleteEnvironment', {name: environment});
  await runs(bob, tiny, {nodes: 2});
});

test('an administrator adds a file without a digest: a job measures it',
     async () => {
       const id = `site-tiny:${version}`;
       const {copy, sha256, sizeBytes} = await imageOf(ada, tiny);
       const act = async (method, body) => {
         const answer = await carol.call(`ImageService/${method}`, body);
         if (!/factor/.test(JSON.stringify(answer.body))) return answer.status;
         await carol.logIn('carol');
         return (await carol.call(`ImageService/${method}`, body)).status;
       };
       const settings = {description: 'Tiny'};
       // Only root's file, or the administrator's own, is one of the site's.
       const path = `/home/carol/tiny-${version}.sif`;
       assert.equal(as('carol', 'cp', copy.path, path).status, 0);
       assert.equal(await act('AddImage', {id, path, settings}), 200);
       const image = await made(carol, id);
       assert.equal(image.state, 'IMAGE_STATE_ACTIVE', image.problem);
       assert.deepEqual([image.sha256, image.sizeBytes], [sha256, sizeBytes]);
       // A path that is wrong is found before a user finds it.
       assert.equal(
           await act('ChangeImage',
                     {id, path: '/home/ada/none.sif', settings}), 200);
       assert.equal(await act('CheckImage', {id}), 200);
       const {check} = await waitFor('the check has a result', async () => {
         const now = await imageOf(carol, id);
         return !now.check.job && now;
       }, 120_000);
       assert.match(check.problem, /Permission denied/);
       await waitFor('the job that checked it has ended', async () =>
         await act('RemoveSiteImage', {id}) === 200);
       assert.equal(await imageOf(carol, id), undefined);
       assert.equal(as('carol', 'rm', path).status, 0);
     });

test('a copy that its account changed: starts no job', async () => {
  const {copy} = await imageOf(ada, tiny);
  const change = (script) => assert.equal(
      as('carme-images', 'sh', '-c', script).status, 0);
  change(`chmod 644 ${copy.path} && printf x >> ${copy.path}`);
  assert.match(await fails(bob, tiny), /has changed since it was recorded/);
  change(`truncate -s -1 ${copy.path} && chmod 666 ${copy.path}`);
  assert.match(await fails(bob, tiny), /has mode 0666/);
  change(`chmod 444 ${copy.path}`);
});

test('one larger than a job\'s scratch starts for others, too', async () => {
  // What is behind the image's file system does not matter to it.
  inHome(`cd carme-images && cp tiny@${version}.sif large.sif &&
          truncate -s +1100M large.sif`);
  const id = await importImage(ada, 'large', 'SIF', '~/carme-images/large.sif');
  assert.equal((await made(ada, id)).state, 'IMAGE_STATE_ACTIVE');
  const share = {id, group: 'carme-users'};
  await ada.call('ImageService/RequestImageShare', share);
  await fay.call('ImageService/ShareImage', share);
  const copy = await copied(ada, id);
  assert.equal(copy.state, 'IMAGE_COPY_STATE_READY', copy.problem);
  await runs(bob, id);
  as('carme-images', 'rm', '-f', copy.path);
  inHome('rm carme-images/large.sif');
});

async function onProject(client, method, body = {}) {
  const {status, body: answer} = await client.call(
      `ProjectService/${method}`, {projectId: project, ...body});
  assert.equal(status, 200, JSON.stringify(answer));
}
const onBob = (client, method) =>
    onProject(client, method, {username: 'bob'});

test('so does a manager of a project, a user of the site, until it ends',
     async () => {
       const name = `Images ${version}`, id = fromDirectory;
       const {body} = await ada.call(
           'ProjectService/CreateProject', {settings: {name}});
       project = body.project.id;
       await onProject(carol, 'ApproveProject');
       const answer = (client, rpc) =>
           client.call(`ImageService/${rpc}`, {id, project})
               .then(({status}) => status);
       assert.equal(await answer(bob, 'ShareImage'), 404);
       await ada.call('ProjectService/InviteMember',
                      {projectId: project, username: 'bob'});
       await onProject(bob, 'AcceptInvitation');
       await onBob(carol, 'ConfirmMember');
       const browser = await launch();
       try {
         const adas = await newPerson(browser);
         await resumeSession(adas, 'ada');
         await open(adas, '/account/images');
         await adas.click(at(`image-share-${id}`));
         await adas.selectOption(
             at('share-project'), {label: `Project ${name}`});
         await adas.click(at('confirm'));
         const share = at(`share-${project}`);
         const offered = {hasText: `offered to project ${name}`};
         await adas.locator(share, offered).waitFor();
         // A plain member neither sees nor approves it.
         assert.equal(await imageOf(bob, id), undefined);
         assert.equal(await answer(bob, 'ShareImage'), 403);
         await onBob(ada, 'PromoteMember');
         const bobs = await newPerson(browser);
         await resumeSession(bobs, 'bob');
         await open(bobs, '/account/images');
         await bobs.locator(`${at('offered-images')} ${share}`, offered)
             .waitFor();
         await bobs.click(at(`approve-${project}`));
         await bobs.locator(
             `${at('images')} ${share}`,
             {hasText: `shared with project ${name} by bob`}).waitFor();
         assert.deepEqual([adas.problems, bobs.problems], [[], []]);
       } finally {
         await browser.close();
       }
       assert.equal(await imageOf(fay, id), undefined);
       assert.equal((await copied(ada, id)).state, 'IMAGE_COPY_STATE_READY');
       await runs(bob, id);
       await onProject(ada, 'CloseProject');
       project = undefined;
       assert.equal((await submit(bob, id)).status, 400);
       assert.equal(await imageOf(bob, id), undefined);
     });

test('its owner changes the file: others start the approved copy',
     async () => {
       const file = `carme-images/tiny@${version}.sif`;
       inHome(`printf x >> ${file}`);
       assert.match(await fails(ada, tiny),
                    /has changed since it was recorded/);
       await runs(bob, tiny);
       inHome(`rm ${file}`);
       assert.match(await fails(ada, tiny), /No such file/);
     });

test('withdrawn while a job waits: the card has the reason', async () => {
  const {body} = await submit(
      bob, tiny, {startAt: new Date(Date.now() + 3000).toISOString()});
  await ada.call('ImageService/SetImageState',
                 {id: tiny, state: 'IMAGE_STATE_WITHDRAWN'});
  const job = await reaches(bob, body.job.id, 'ENDED');
  assert.match(job.reason, /is no longer offered/);
  const again = await submit(bob, tiny);
  assert.equal(again.status, 400);
  assert.match(JSON.stringify(again.body), /is withdrawn/);
});

test('the page creates one, and shows its state', async () => {
  const browser = await launch();
  try {
    const page = await newPerson(browser);
    await resumeSession(page, 'ada');
    await open(page, '/account/images');
    await page.click(at('import-new'));
    await page.fill(at('import-name'), `page:${version}`);
    await page.selectOption(at('import-source'), {label: 'OCI archive'});
    await page.fill(at('import-path'), '~/images-test/tiny.tar');
    await page.click(at('import-start'));
    const row = at(`image-ada/page:${version}`);
    await page.waitForSelector(
        `${row}[data-state="active"], ${row}[data-state="failed"]`,
        {timeout: 60_000});
    assert.equal(await page.getAttribute(row, 'data-state'), 'active');
    assert.deepEqual(page.problems, []);
  } finally {
    await browser.close();
  }
});
