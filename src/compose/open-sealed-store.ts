/**
 * Opens the store together with its sealing key (SE12). Refuses a node whose key is not the
 * store's, seals plain values of earlier builds and erases their text from the files, and lists
 * agents whose values cannot be opened.
 */
import { hasPlainValues, sealedOtherwise } from '../domain/agents/environment.ts'
import { writeSecret } from '../platform/files/secret-files.ts'
import type { Logger } from '../platform/log/logger.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import { readSeals, sealingKeyFile } from '../platform/secrets/sealing-key.ts'
import { newSealingKey, type Seals } from '../platform/secrets/seals.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { claimSealingKey, sealEnvironments } from '../services/agents/change-agent.ts'
import { agentsWithoutKeys, findEnvironments } from '../services/agents/queries.ts'
import type { Store } from '../store/store.ts'

/** Upper bound: nodes of the version before may still write plain values. */
const maxRounds = 5

interface SealedStore {
  readonly store: Store
  readonly seals: Seals
}

/** `open` is called again when plain text has to be erased. */
export async function openSealedStore(
  config: ConfigValues,
  logger: Logger,
  open: () => Promise<Store>,
): Promise<SealedStore> {
  let store = await open()
  try {
    const seals = await sealsFor(store, config, logger)
    if (await sealPlainValues(store, seals)) {
      logger.info('agent keys sealed; erasing their plain text from the database')
      await store.close()
      // Opening the store erases the plain text (store/migrate.ts).
      store = await open()
      await warnAboutPlainText(store, config, logger)
    }
    const lacking = await store.read((reader) => agentsWithoutKeys(reader, seals.keyId))
    for (const { id, variables } of lacking)
      logger.warn(
        { agentId: id, variables, sealingKey: sealingKeyFile(config) },
        'agent cannot be started: its variables were sealed with a different key; restore that key, or set them again with `agents edit`',
      )
    return { store, seals }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function sealsFor(store: Store, config: ConfigValues, logger: Logger): Promise<Seals> {
  const isAlone = config.database_url === null
  const seals = await readSeals(config)
  if (seals) {
    if (await store.run(claimSealingKey, { keyId: seals.keyId, alone: isAlone })) return seals
    throw otherKey(config, `has another (${seals.keyId})`)
  }
  const { sealingKey: storedKey, agents, hasSecrets } = await store.query(findEnvironments, {})
  const isNeeded =
    hasSecrets || agents.some(({ env }) => sealedOtherwise(env, undefined).length > 0)
  if (!isAlone && storedKey !== undefined && isNeeded) throw otherKey(config, 'has none')
  const text = newSealingKey()
  await writeSecret(config.data, 'sealing-key', text)
  if (!isAlone)
    logger.warn(
      { file: sealingKeyFile(config) },
      'sealing key created: keep it, and put the same on every node; agent keys cannot be opened without it',
    )
  return sealsFor(store, config, logger)
}

const otherKey = (config: ConfigValues, has: string): StartFailure =>
  new StartFailure(
    `The keys of agents in this database are sealed with a key that this node does not have; it ${has} (${sealingKeyFile(config)}).`,
    'Copy secrets/sealing-key from the data folder of a node that works, or name the file with HOLDFAST_SEALING_KEY_FILE. If the key is lost, make a backup, restore it into an empty database, and give the agents their keys again.',
  )

/** Returns true when plain text is to be erased from the files. */
async function sealPlainValues(store: Store, seals: Seals): Promise<boolean> {
  for (let round = 1; ; round++) {
    const { plainValues, agents } = await store.query(findEnvironments, {})
    const plain = agents.filter(({ env }) => hasPlainValues(env))
    if (plain.length === 0 && plainValues !== 'kept') return plainValues === 'sealed'
    if (round > maxRounds)
      throw new Error(
        'The values of agents’ environments are changed by others while they are being sealed',
      )
    const sealed = plain.map(({ id, text, env }) => {
      const entries = Object.entries(env).map(([name, value]) => [
        name,
        typeof value === 'string' ? seals.seal(name, value) : value,
      ])
      return { id, from: text, to: JSON.stringify(Object.fromEntries(entries)) }
    })
    await store.run(sealEnvironments, { agents: sealed })
  }
}

async function warnAboutPlainText(
  store: Store,
  { database_url: url }: ConfigValues,
  logger: Logger,
): Promise<void> {
  const { plainValues } = await store.query(findEnvironments, {})
  if (plainValues === undefined)
    logger.warn('earlier backups hold agent keys in plain text; delete them, or replace the keys')
  else {
    const what = url ? 'table of agents' : 'database'
    logger.warn(
      `the ${what} could not be rewritten: the plain text of agent keys may still be in its files; the next start retries`,
    )
  }
}
