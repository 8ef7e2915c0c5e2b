/**
 * What Holdfast takes from the registry of the Agent Client Protocol: names, the npm package, how
 * it is started. Others write it, so each entry is checked word by word, and one that could mean
 * more than an agent's name or package is left out. Pure.
 */
import * as z from 'zod'
import { knownAgents } from '../../protocol/agents/known-agents.ts'

/** The most that a registry may have; today it is a few dozen. */
const maxEntries = 500

const word = z.string().min(1).max(200)
/** One line that a person reads. */
const text = word.regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
const address = z
  .string()
  .max(500)
  .regex(/^https:\/\/[\w.-]+\/[\w./%@~+-]+$/)
/** Never an option, a path or another registry. */
const npmPackage = word.regex(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(@\d[\w.+-]*)?$/)
const args = z.array(text).max(20).default([])
/** None that says what else is loaded or run. */
const env = z
  .record(
    z.string().regex(/^(?!NODE_|LD_|DYLD_|NPM_|GIT_|PATH$|HOME$|SHELL$)[A-Z][A-Z0-9_]{0,60}$/),
    text,
  )
  .default({})

export const RegistryAgent = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,60}$/),
  name: text,
  version: text,
  npm: z.object({ package: npmPackage, args, env }).nullable(),
  /** Where its maker has it for each platform, for those that npm has not. */
  archives: z.record(z.string().regex(/^[a-z0-9_-]{1,40}$/), address),
})
export type RegistryAgent = z.output<typeof RegistryAgent>

const Entry = z.looseObject({
  id: z.unknown(),
  name: z.unknown(),
  version: z.unknown(),
  distribution: z.looseObject({
    npx: z.unknown().optional(),
    binary: z.record(z.string(), z.looseObject({ archive: z.unknown() })).optional(),
  }),
})
const Registry = z.looseObject({ agents: z.array(z.unknown()).min(1).max(maxEntries) })

export interface ReadRegistry {
  readonly agents: readonly RegistryAgent[]
  /** What was left out, by id, and why. */
  readonly left: readonly string[]
}

/** Throws when it is no registry at all. */
export function readRegistry(json: unknown): ReadRegistry {
  const agents: RegistryAgent[] = []
  const left: string[] = []
  for (const each of Registry.parse(json).agents) {
    const found = entryOf(each)
    if (typeof found === 'string') left.push(found)
    else if (agents.some(({ id }) => id === found.id)) left.push(`${found.id}: is there twice`)
    else agents.push(found)
  }
  return { agents: agents.toSorted((a, b) => (a.id < b.id ? -1 : 1)), left }
}

function entryOf(json: unknown): RegistryAgent | string {
  const { success, data } = Entry.safeParse(json)
  if (!success) return 'an entry without the form of one'
  const { id, name, version, distribution } = data
  const archives = Object.entries(distribution.binary ?? {}).map(([platform, { archive }]) => [
    platform,
    archive,
  ])
  const npm = distribution.npx ?? null
  const parsed = RegistryAgent.safeParse({
    id,
    name,
    version,
    npm,
    archives: npm === null ? Object.fromEntries(archives) : {},
  })
  const called = JSON.stringify(String(id)).slice(0, 60)
  if (!parsed.success)
    return `${called}: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`
  if (!parsed.data.npm && archives.length === 0) return `${called}: cannot be installed`
  return isKnown(parsed.data) ? `${called}: is known` : parsed.data
}

export const packageName = (name: string): string => name.replace(/(?<=.)@.*$/, '')

/** Known by more than the registry says: one of `known/*.ts`. */
const isKnown = ({ id, name, npm }: RegistryAgent): boolean =>
  knownAgents.some(
    (agent) =>
      agent.id === id ||
      agent.acp?.program === id ||
      agent.name.toLowerCase() === name.toLowerCase() ||
      (npm !== null && agent.packages.includes(packageName(npm.package))),
  )
