/** What stands behind the front: store, mirror, doors, duties. Loaded while the port already listens. */
import { join } from 'node:path'
import { agentDetection } from '../agents/detect-agents.ts'
import { ownerId } from '../domain/credential/who.ts'
import { chatLog } from '../mirror/chat-log.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { filesBeside } from '../mirror/files-beside.ts'
import { Mirror } from '../mirror/mirror.ts'
import { projectFolder } from '../mirror/project-folder.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { hashSecret } from '../platform/secrets.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { Speaker } from '../server/agents/speaker.ts'
import { Starter } from '../server/agents/starter.ts'
import type { Front } from '../server/front.ts'
import { openDoors } from '../server/open-doors.ts'
import { createSignInCode } from '../services/create-sign-in-code.ts'
import type { Store } from '../store/store.ts'
import { AgentSessionSweeper } from './agent-session-sweeper.ts'
import { startCheckpointSaver } from './checkpoint-saver.ts'
import { firstStart } from './first-start.ts'
import { LaunchSweeper } from './launch-sweeper.ts'
import { openStore } from './open-store.ts'
import { PanelSweeper } from './panel-sweeper.ts'
import type { Undo } from './start-server.ts'
import { startSweeper } from './sweeper.ts'
import { UserSessionSweeper } from './user-session-sweeper.ts'

export interface Parts {
  readonly config: ConfigValues
  readonly ownerToken: string
  readonly front: Front
  readonly logger: Logger
  readonly clock: Clock
  readonly packageFolder: string
  readonly env: NodeJS.ProcessEnv
  readonly undo: Undo
}

export async function assemble(parts: Parts): Promise<{ signInCode(): Promise<string>; store: Store }> {
  const { config, ownerToken, front, logger, clock, packageFolder, env, undo } = parts
  const { data } = config
  const store = await openStore(config, logger)
  undo.push(() => store.close())
  const mirror = new Mirror({ store, clock, logger, folder: data, targets: [projectFolder, chatLog, conversationFile] })
  undo.push(() => mirror.stop())
  undo.push(startSweeper(store, clock, logger))

  undo.push(startCheckpointSaver(store, clock, logger))

  const pageFolder = join(packageFolder, 'dist', 'web')
  const detectAgents = agentDetection({ clock, env })
  const coordinatorRules = {
    maxConcurrent: config['coordinator.max_concurrent'],
    aloneMinutes: config['coordinator.alone_minutes'],
    takeoverMinutes: config['coordinator.takeover_minutes'],
  }
  const ownerTokenHash = hashSecret(ownerToken)
  const files = filesBeside(mirror, store, data)
  const doors = await openDoors({ front, store, clock, ownerTokenHash, files, pageFolder, coordinatorRules, detectAgents })
  undo.push(() => doors.close())
  const sweeper = new AgentSessionSweeper({ store, clock, logger, lastSeen: doors.lastSeen })
  sweeper.start()
  undo.push(() => sweeper.stop())
  const launchSweeper = new LaunchSweeper({
    store,
    clock,
    logger,
    launches: doors.launches,
    lastSeen: doors.lastSeen,
    held: doors.held,
    unreachableSeconds: config['coordinator.unreachable_seconds'],
    takeoverMinutes: config['coordinator.takeover_minutes'],
  })
  launchSweeper.start()
  undo.push(() => launchSweeper.stop())
  const starter = new Starter({ store, clock, logger, tails: doors.tails, launches: doors.launches })
  await starter.start()
  undo.push(() => starter.stop())
  const speaker = new Speaker({ store, clock, logger })
  speaker.start()
  undo.push(() => speaker.stop())
  const userSessions = new UserSessionSweeper({ store, clock, logger })
  userSessions.start()
  undo.push(() => userSessions.stop())
  const panels = new PanelSweeper({ store, clock, logger })
  panels.start()
  undo.push(() => panels.stop())

  firstStart(store, data, logger)
    .catch((error) => logger.error({ error: String(error) }, 'the demo project could not be made'))
    .then(() => mirror.start())
  return { store, signInCode: async () => (await store.run(createSignInCode, { by: ownerId })).code }
}
