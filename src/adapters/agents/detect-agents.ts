/**
 * Which of the known agents are installed on this machine, in which version (AG5). Looks along PATH and asks each program for its
 * version, without a shell, for a bounded time; what was found is believed for a minute, because programs take long to answer.
 */
import { spawn } from 'node:child_process'
import type { Clock } from '../../platform/clock.ts'
import { findProgram } from '../../platform/find-program.ts'
import type { DetectedAgent } from '../../protocol/agents/detected-agent.ts'
import { holdSeconds, type KnownAgent, knownAgents } from './known-agents.ts'

const believedMs = 60_000
const defaultPatienceMs = 10_000
const maxVersionText = 16 * 1024

export interface DetectionOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long a program may take to say its version. */
  readonly patienceMs?: number
}

export type DetectAgents = () => Promise<readonly DetectedAgent[]>

/** Those who ask at the same time share one look. */
export function agentDetection({ clock, env, patienceMs = defaultPatienceMs }: DetectionOptions): DetectAgents {
  let found: { readonly agents: Promise<readonly DetectedAgent[]>; readonly until: number } | undefined
  return () => {
    if (!found || clock.now() >= found.until)
      found = { agents: lookForAgents({ env, patienceMs }), until: clock.now() + believedMs }
    return found.agents
  }
}

interface Look extends Required<Omit<DetectionOptions, 'clock'>> {
  /** A program that can be added in several ways is asked once. */
  readonly versions: Map<string, Promise<string | null>>
}

async function lookForAgents(options: Omit<Look, 'versions'>): Promise<readonly DetectedAgent[]> {
  const look = { ...options, versions: new Map() }
  const found = await Promise.all(Object.entries(knownAgents).map(([id, known]) => lookFor(id, known, look)))
  return found.filter((each) => each !== undefined)
}

async function lookFor(id: string, known: KnownAgent, look: Look): Promise<DetectedAgent | undefined> {
  const { name, protocol, command, triedWith, args, env, setup } = known
  const file = await findProgram(command, look.env)
  if (file === undefined) return undefined
  const version = look.versions.get(file) ?? versionOf(file, look)
  look.versions.set(file, version)
  const draft = { id, name, protocol, command, args: [...args], env: { ...env }, holdSeconds }
  return { id, name, file, version: await version, triedWith, draft, setup }
}

/** The first thing in what it writes that looks like a version. */
async function versionOf(file: string, { env, patienceMs }: Look): Promise<string | null> {
  const group = process.platform !== 'win32'
  const child = spawn(file, ['--version'], { env: withoutOurs(env), stdio: ['ignore', 'pipe', 'ignore'], detached: group })
  const end = (): void => {
    // What it has started goes with it.
    if (child.pid === undefined) return
    try {
      process.kill(group ? -child.pid : child.pid, 'SIGKILL')
    } catch {
      // It has gone by itself.
    }
  }
  const timer = setTimeout(end, patienceMs)
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
    if (written.length > maxVersionText) end()
  })
  await new Promise<void>((resolve) => child.once('close', resolve).once('error', () => resolve()))
  clearTimeout(timer)
  return /\d+\.\d+[\w.+-]{0,40}/.exec(written.slice(0, maxVersionText))?.[0] ?? null
}

/** No key of the server's surroundings: programs that were only found are trusted with little. */
function withoutOurs({ PATH, HOME, LANG }: DetectionOptions['env']): NodeJS.ProcessEnv {
  return { PATH, HOME, LANG, TERM: 'dumb' }
}
