/**
 * Builds everything behind the HTTP listener: mirror, endpoints, jobs. Loaded while the port
 * already listens.
 */

import { randomUUID } from 'node:crypto'
import { AgentPreparations } from '../adapters/agents/agent-preparations.ts'
import { AgentDetection } from '../adapters/agents/detect-agents.ts'
import { npmSettings } from '../adapters/agents/install-command.ts'
import { inheritedFrom } from '../coordinator/agent-environment.ts'
import { makeDemoRepository } from '../demo/demo-project.ts'
import { ownerId } from '../domain/access/caller.ts'
import { signInRules } from '../domain/access/sign-in-rules.ts'
import { doors } from '../doors/door-list.ts'
import { noteDay, noteFiles, storeCutoverRule } from '../jobs/cutover.ts'
import { JobLease, type StartJobs } from '../jobs/job-lease.ts'
import { createDemoProject, projectFiles, startJobs } from '../jobs/start-jobs.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { chatLog } from '../mirror/line-log.ts'
import { Mirror } from '../mirror/mirror.ts'
import { mirroredFiles } from '../mirror/mirrored-files.ts'
import { importAtStart } from '../offline/import-conversations.ts'
import { restoreFromPath } from '../offline/restore-from-path.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Seals } from '../platform/secrets/seals.ts'
import { hashSecret } from '../platform/secrets/secrets.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { sandboxLimits } from '../protocol/processes/sandbox-limits.ts'
import type { HttpListener } from '../server/http/http-listener.ts'
import type { Tails } from '../server/live/tail.ts'
import { createTurnDispatcher, Starter } from '../server/processes/work-scanner.ts'
import { startListeners } from '../server/start-listeners.ts'
import { createSignInCode, shortenSignIns } from '../services/access/sign-in.ts'
import type { Store } from '../store/store.ts'
import type { AgentSignIns } from './agent-sign-in.ts'
import type { Undo } from './start-server.ts'

export interface Options {
  readonly config: ConfigValues
  readonly ownerToken: string
  readonly listener: HttpListener
  readonly logger: Logger
  readonly clock: Clock
  readonly env: NodeJS.ProcessEnv
  readonly undo: Undo
  readonly store: Store
  readonly seals: Seals
  /** A coordinator is started beside this server. */
  readonly expectsCoordinator: boolean
}

interface Assembled {
  readonly tails: Tails
  signInCode(): Promise<string>
}

export async function assemble(options: Options): Promise<Assembled> {
  const {
    config,
    ownerToken,
    listener,
    logger,
    clock,
    env,
    undo,
    store,
    seals,
    expectsCoordinator,
  } = options
  const { data } = config
  await storeCutoverRule(store, config, (text) => logger.info(text))
  const imported = await importAtStart(store, data, (file, why) =>
    logger.warn({ file, why }, 'conversation file skipped'),
  )
  if (imported)
    logger.info({ conversations: imported.conversations }, 'conversations imported from files')
  const targets = [projectFiles(store, logger), chatLog, conversationFile, noteFiles(store)]
  const mirror = new Mirror({ store, clock, logger, folder: data, targets })
  undo.push(() => mirror.stop())

  const detection = new AgentDetection({ clock, env, data })
  const preparations = new AgentPreparations({
    env: { ...inheritedFrom(env), ...npmSettings(env) },
    data,
    clock,
    detection,
  })
  undo.push(() => preparations.close())
  const coordinatorRules = {
    maxConcurrent: config['coordinator.max_concurrent'],
    aloneMinutes: config['coordinator.alone_minutes'],
    takeoverMinutes: config['coordinator.takeover_minutes'],
    sandboxLimits: sandboxLimits(config),
  }
  const files = {
    ...mirroredFiles({ mirror, store, data, noteDay: (day) => noteDay(store, day) }),
    bringBack: restoreFromPath(store, data),
  }
  const rules = signInRules(config['sign_in.idle_days'], config['sign_in.most_days'])
  await store.run(shortenSignIns, rules)
  // The ACP library is large, and few sign in from the page.
  let signIns: Promise<AgentSignIns> | undefined
  undo.push(async () => (await signIns)?.close())
  const listeners = await startListeners({
    listener,
    doors,
    store,
    clock,
    seals,
    files,
    coordinatorRules,
    detectAgents: detection.detect,
    preparations,
    expectsCoordinator,
    ownerTokenHash: hashSecret(ownerToken),
    signInRules: rules,
    folderRules: { data, roots: config['projects.roots'] ?? [] },
    probeSandbox: async (agent) =>
      (await import('../coordinator/sandbox/try-agent.ts')).sandboxTrial(env, data)(agent),
    signIns: () =>
      (signIns ??= import('./agent-sign-in.ts').then(({ AgentSignIns }) => new AgentSignIns(env))),
  })
  const starter = new Starter({
    store,
    clock,
    logger,
    tails: listeners.tails,
    launches: listeners.launches,
  })
  await starter.start()
  undo.push(() => starter.stop())
  const dispatcher = createTurnDispatcher({ store, clock, logger })
  dispatcher.start()
  undo.push(() => dispatcher.stop())
  const startOwnJobs: StartJobs = (jobClock) =>
    startJobs(
      {
        store,
        logger,
        config,
        server: listeners,
        figures: listener.figures,
        channels: doors.flatMap(({ channel }) => (channel ? [channel] : [])),
      },
      jobClock,
    )
  const stopJobs = await startSharedJobs(startOwnJobs, options)
  // A single server has no other node to move clients to, so it does not wait.
  const lingerMs = config.database_url ? config.drain_seconds * 1000 : 0
  undo.push(async () => {
    await Promise.all([listeners.close(lingerMs), stopJobs()])
  })

  createDemoProject(store, logger, () => makeDemoRepository(data))
    .catch((error) => logger.error({ error: String(error) }, 'demo project could not be created'))
    .then(() => mirror.start())
  return {
    tails: listeners.tails,
    signInCode: async () => (await store.run(createSignInCode, { by: ownerId })).code,
  }
}

/**
 * Starts the jobs: directly on SQLite, under the job lease on PostgreSQL. The returned function
 * stops them.
 */
async function startSharedJobs(
  start: StartJobs,
  { config, clock, logger, store }: Options,
): Promise<() => Promise<void>> {
  if (!config.database_url) return start(clock)
  const lease = new JobLease({ store, clock, logger, holder: randomUUID(), startJobs: start })
  lease.start()
  return () => lease.stop()
}
