// Fills a running demo with what the pages show: jobs in several states,
// projects, a reservation, environments, templates, limits, tokens.
import {call} from '../../tests/e2e/browser.mjs';
import {waitFor} from '../../tests/support/demo.mjs';

export async function ok(page, method, body) {
  const {status, body: answer} = await call(page, method, body);
  if (status !== 200) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer;
}

export async function submit(page, spec) {
  const {job} = await ok(page, 'JobService/SubmitJob',
                         {spec: {walltime: '3600s', ...spec}});
  return job.id;
}

export async function reaches(page, jobId, state) {
  let job;
  await waitFor(`job ${jobId} is ${state}`, async () => {
    ({job} = await ok(page, 'JobService/GetJob', {jobId}));
    return [state, 'ENDED'].some((each) => job.state === `JOB_STATE_${each}`);
  });
  if (job.state !== `JOB_STATE_${state}`) {
    throw new Error(`job ${jobId} has ended: ${job.reason}`);
  }
}

// Stops jobs; one that has ended already is no failure.
export async function stopAll(page, ids) {
  for (const jobId of ids) await call(page, 'JobService/StopJob', {jobId});
}

// Returns ids by what they stand for, and `remove`, which removes everything
// that would be in the way of others. `user` and `admin` are pages with a
// session, the one of `admin` with a fresh second factor.
export async function fillDemo(user, admin) {
  const undo = [];
  const later = (page, method, body) => undo.unshift(
      () => call(page, method, body));
  const remove = async () => {
    for (const each of undo) await each();
  };
  try {
    return {...await fill(user, admin, later), remove};
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fill(user, admin, later) {
  const started = async (page, spec) => {
    const jobId = await submit(page, spec);
    later(page, 'JobService/StopJob', {jobId});
    return jobId;
  };
  const failed = await started(user, {
    name: 'sweep learning rate', gpusPerNode: 0, cpusPerNode: 1,
    batch: {command: 'echo task $SLURM_ARRAY_TASK_ID; ' +
                     '[ $((SLURM_ARRAY_TASK_ID % 3)) != 1 ] || exit 3',
            array: '0-5%2'},
  });
  await reaches(user, failed, 'ENDED');
  // Every image of the demo has a shell.
  const session = await started(
      user, {name: 'explore data', app: 'shell', gpusPerNode: 1, cpusPerNode: 1});
  await reaches(user, session, 'READY');
  const batch = await started(user, {
    name: 'train resnet', gpusPerNode: 0, cpusPerNode: 1,
    batch: {command: 'for i in 1 2 3; do echo epoch $i; done; sleep 3000'},
  });
  await reaches(user, batch, 'READY');
  const startAt = new Date(Date.now() + 7200_000).toISOString();
  const pending = await started(user, {
    name: 'evaluate', gpusPerNode: 0, cpusPerNode: 1, startAt,
    batch: {command: 'echo evaluate'},
  });
  await started(admin, {
    name: 'llm finetune', gpusPerNode: 1, cpusPerNode: 1, startAt,
    batch: {command: 'sleep 600'},
  });

  const {project} = await ok(user, 'ProjectService/CreateProject', {settings: {
    name: 'Catalysts', description: 'Screening of surfaces.',
  }});
  later(admin, 'ProjectService/CloseProject', {projectId: project.id});
  await ok(admin, 'ProjectService/ApproveProject', {projectId: project.id});
  await ok(user, 'ProjectService/InviteMember',
           {projectId: project.id, username: 'bob'});
  const requested = await ok(user, 'ProjectService/CreateProject', {settings: {
    name: 'Course on graph networks', description: 'Summer term.',
  }});
  later(admin, 'ProjectService/CloseProject',
        {projectId: requested.project.id});

  const tomorrow = new Date(Date.now() + 86400_000);
  tomorrow.setUTCHours(9, 0, 0, 0);
  const {reservation} = await ok(
      admin, 'ReservationService/CreateReservation', {spec: {
        title: 'Class on deep learning', nodes: 1, duration: '7200s',
        startsAt: tomorrow.toISOString(),
      }});
  later(admin, 'ReservationService/CancelReservation', {id: reservation.id});

  const environment = {name: 'screens', text: 'base_environment = "base"\n' +
      'mounts = ["${HOME}"]\n\n[env]\nOMP_NUM_THREADS = "4"\n'};
  await ok(user, 'EnvironmentService/SaveEnvironment', environment);
  later(user, 'EnvironmentService/DeleteEnvironment', {name: environment.name});

  const {template} = await ok(
      admin, 'TemplateService/CreateTemplate', {settings: {
        // A retired template keeps its name.
        name: `Teaching ${Date.now()}`, description: 'Short jobs for courses.',
        maxGpusPerNode: 1, maxNodes: 1, maxWalltime: '7200s',
      }});
  later(admin, 'TemplateService/RetireTemplate', {templateId: template.id});

  const rule = {scope: 'LIMIT_SCOPE_USER', username: 'ada',
                metric: 'LIMIT_METRIC_GPU_HOURS_PER_MONTH', max: '200',
                note: 'Until the grant is renewed.'};
  await ok(admin, 'LimitService/SetLimitRule', {rule});
  later(admin, 'LimitService/RemoveLimitRule', {rule});

  const preset = {name: 'JupyterLab 1 GPU', spec: {
    app: 'jupyter', gpusPerNode: 1, walltime: '14400s',
  }};
  await ok(user, 'PresetService/SavePreset', {preset});
  later(user, 'PresetService/DeletePreset', {name: preset.name});
  return {failed, session, batch, pending, project: project.id};
}
